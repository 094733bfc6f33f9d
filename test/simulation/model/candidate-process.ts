/** One process start of a candidate: the library's code, unchanged, on a clock and links of this world. */
import { Candidate } from '../../../lib/election/candidate.js';
import type { ElectionConfig } from '../../../lib/election/election-config.interface.js';
import type { LeaseStore } from '../../../lib/election/lease-store.interface.js';
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
  refusedEpoch = 0;
  /** When it was first asked to give up the present leadership. */
  leavingSince: number | null = null;
  /** The highest epoch under which it said that it leads. */
  believedEpoch = 0;
  /** What it was asked to do and has not finished. */
  unfinished = 0;
  private readonly store: LeaseStore;
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
    // A quorum counts on members that settle in time; the election itself on nothing.
    const timers = members.length > 1 ? processClock : null;
    this.links = members.map(
      (member, index) => new Link(world, member, this, faults[index] ?? [], timers),
    );
    this.store = storeOf(this.links, processClock, random);
    this.candidate = new Candidate(
      {
        config: configOf(plan, name),
        store: this.store,
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

  /** The highest epoch that it ever heard of. */
  get floor(): number {
    const { context } = this.candidate as unknown as { context: { floor: number } };
    return context.floor;
  }

  stop(done: () => void): void {
    this.isStopping = true;
    this.leavingSince ??= this.world.now;
    // As an application does: the store is closed last, and may have something to give back.
    const stopped = this.candidate.stop().then(() => this.store.close());
    this.whenFinished(stopped, done);
  }

  stepDown(cooldownMs: number): void {
    this.leavingSince ??= this.world.now;
    this.whenFinished(this.candidate.stepDown(cooldownMs), () => undefined);
  }

  /** Whether it left its work no time to end. */
  get cutsWorkShort(): boolean {
    const askedFor = this.world.now - (this.leavingSince ?? this.world.now);
    return this.working > 0 && askedFor * this.clock.rate < DRAIN_MS - 2;
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

  private whenFinished(promise: Promise<void>, then: () => void): void {
    this.unfinished += 1;
    // `stop` and `stepDown` never reject.
    void promise.then(() => {
      this.unfinished -= 1;
      if (!this.isGone) then();
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
