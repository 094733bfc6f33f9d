/** One process start of a candidate: the library's code, unchanged, on a clock and links of this world. */
import { Candidate } from '../../../lib/election/candidate.js';
import type { ElectionConfig } from '../../../lib/election/election-config.interface.js';
import { LeaseTime } from '../../../lib/election/lease-time.js';
import type { VirtualClock } from '../../support/election/virtual-clock.js';
import { type Fault, type Plan, TTL_MS } from '../plan.js';
import { Link, type Receiver } from './link.js';
import type { Member } from './member.js';
import type { Observer } from './observer.js';
import { ProcessClock } from './process-clock.js';
import { storeOf } from './store-of-links.js';
import type { World } from './world.js';

const DRAIN_MS = 500;

export class CandidateProcess implements Receiver {
  readonly candidate: Candidate;
  readonly time: LeaseTime;
  readonly links: readonly Link[];
  isStopping = false;
  /** The highest epoch under which it said that it leads. */
  believedEpoch = 0;
  /** What it was asked to do and has not finished. */
  unfinished = 0;
  private isGone = false;
  private held: (() => void)[] = [];
  private working = 0;
  private idleWaiters: (() => void)[] = [];

  constructor(
    private readonly world: World,
    plan: Plan,
    private readonly members: readonly Member[],
    faults: readonly (readonly Fault[])[],
    /** Its own: it is held for ever when the process is gone. */
    readonly clock: VirtualClock,
    readonly name: string,
    observer: Observer,
  ) {
    const random = world.stream();
    const processClock = new ProcessClock(clock, random);
    this.time = new LeaseTime(processClock);
    this.links = members.map((member, index) => new Link(world, member, this, faults[index] ?? []));
    this.candidate = new Candidate(
      {
        config: configOf(plan, name),
        store: storeOf(this.links, processClock, random),
        clock: processClock,
        time: this.time,
        events: observer.eventsOf(this),
        random,
      },
      { idle: () => this.idle() },
    );
  }

  deliver(message: () => void): void {
    if (this.isGone) return;
    if (this.clock.isHeld) this.held.push(message);
    else message();
  }

  /** After it stood still: what came due goes first and then what arrived, as in a turn of Node's loop, or the reverse. */
  resume(timersFirst: boolean, wake: () => void): void {
    if (this.isGone) return;
    wake();
    if (this.clock.isHeld) return;
    const { held } = this;
    this.held = [];
    for (const message of held) {
      if (timersFirst) this.world.after(0, () => this.deliver(message));
      else message();
    }
  }

  end(): void {
    this.isGone = true;
    this.clock.pause();
    for (const [index, member] of this.members.entries()) {
      const link = this.links[index];
      if (link !== undefined) member.links.delete(link);
    }
  }

  /** Whether it ever heard of an election here. */
  get knowsElection(): boolean {
    const { context } = this.candidate as unknown as { context: { floor: number } };
    return context.floor > 0;
  }

  stop(done: () => void): void {
    this.isStopping = true;
    this.whenFinished(this.candidate.stop(), done);
  }

  stepDown(cooldownMs: number): void {
    this.whenFinished(this.candidate.stepDown(cooldownMs), () => undefined);
  }

  /** Begins leader-only work; the returned function ends it. */
  work(): () => void {
    this.working += 1;
    return () => {
      this.working -= 1;
      if (this.working > 0 || this.isGone) return;
      for (const resolve of this.idleWaiters) resolve();
      this.idleWaiters = [];
    };
  }

  private idle(): Promise<void> {
    if (this.working === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.idleWaiters.push(resolve);
    });
  }

  private whenFinished(promise: Promise<void>, done: () => void): void {
    this.unfinished += 1;
    // `stop` and `stepDown` never reject.
    void promise.then(() => {
      this.unfinished -= 1;
      if (!this.isGone) done();
    });
  }
}

function configOf(plan: Plan, name: string): ElectionConfig {
  return {
    election: 'default',
    by: { holder: `${name}-random`, nodeId: name, metadata: {} },
    holdOff: plan.holdOff,
    minReplicaAcks: plan.minReplicaAcks,
    campaign: true,
    leaseTtlMs: TTL_MS,
    renewIntervalMs: Math.floor(TTL_MS / 3),
    safetyMarginMs: plan.marginMs,
    commandTimeoutMs: Math.floor(TTL_MS / 6),
    drainTimeoutMs: DRAIN_MS,
  };
}
