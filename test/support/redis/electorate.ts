/** Candidates of one election in this process on a real Redis, and the history of who said to lead when. */
import { afterEach } from '@jest/globals';
import { Candidate } from '../../../lib/election/candidate.js';
import type { ElectionConfig } from '../../../lib/election/election-config.interface.js';
import type { ElectionEvents } from '../../../lib/election/election-events.interface.js';
import { LeaseTime } from '../../../lib/election/lease-time.js';
import { EVENT_NAMES } from '../../../lib/events/tell-listeners.js';
import type { RedisSource } from '../../../lib/stores/redis/redis-client.js';
import { RedisLeaseStore } from '../../../lib/stores/redis/redis-lease-store.js';
import { SystemClock } from '../../../lib/system-clock.js';
import { BeliefSampler } from '../../../lib/testing/belief-sampler.js';
import { checkHistory } from '../../../lib/testing/history-checker.js';
import { historyRecorder, sharedNowMs } from '../../../lib/testing/history-recorder.js';
import type { HistoryEvent } from '../../../lib/testing/history.js';
import { awaitUntil } from '../await-until.js';
import { ElectionRecorder } from '../nest/election-recorder.js';
import { holder } from './requests.js';

const TTL_MS = 1_500;
const LOOK_EVERY_MS = 1;
const LED_TIMEOUT_MS = 25_000;

export interface Member {
  readonly name: string;
  readonly candidate: Candidate;
  readonly events: ElectionRecorder;
}

/** Makes electorates for the tests of one file; all are closed after each test, also after one that failed. */
export function useElectorates(): (election: string) => Electorate {
  const open: Electorate[] = [];
  afterEach(async () => {
    await Promise.all(open.splice(0).map((electorate) => electorate.close()));
  });
  return (election) => {
    const electorate = new Electorate(election);
    open.push(electorate);
    return electorate;
  };
}

export class Electorate {
  readonly members: Member[] = [];
  private readonly history: HistoryEvent[] = [];
  private readonly stores: RedisLeaseStore[] = [];
  private readonly stopLooking: (() => void)[] = [];

  constructor(private readonly election: string) {}

  /** Takes part from now on. */
  join(name: string, redis: RedisSource, over: Partial<ElectionConfig> = {}): Member {
    const store = new RedisLeaseStore({ redis });
    const events = new ElectionRecorder();
    const clock = new SystemClock();
    const candidate = new Candidate(
      {
        config: this.config(name, over),
        store,
        clock,
        time: new LeaseTime(clock),
        events: both(
          events,
          historyRecorder(name, (event) => this.history.push(event)),
        ),
        random: Math.random,
      },
      { idle: async () => undefined },
    );
    this.watch(name, candidate);
    this.stores.push(store);
    const member = { name, candidate, events };
    this.members.push(member);
    candidate.start();
    return member;
  }

  /** Whoever says to lead now, or null. */
  get leader(): Member | null {
    return this.members.find(({ candidate }) => candidate.leadership !== null) ?? null;
  }

  /** The epoch of a leadership that lasts; throws where there is none. */
  epochOf({ name, candidate }: Member): number {
    if (candidate.leadership === null) throw new Error(`${name} does not lead.`);
    return candidate.leadership.epoch;
  }

  async untilLed(): Promise<Member> {
    await awaitUntil(() => this.leader !== null, {
      what: 'somebody leads',
      timeoutMs: LED_TIMEOUT_MS,
    });
    const { leader } = this;
    if (leader === null) throw new Error('The leader was lost at once.');
    return leader;
  }

  async untilNotLed(): Promise<void> {
    await awaitUntil(() => this.leader === null, { what: 'nobody leads' });
  }

  /** Stops everybody, and says what was wrong with the history: at most one leader at a time, epochs that grow. */
  async close(): Promise<readonly string[]> {
    await Promise.all(this.members.map(({ candidate }) => candidate.stop()));
    for (const stop of this.stopLooking.splice(0)) stop();
    await Promise.all(this.stores.map((store) => store.close()));
    return checkHistory(this.history).map(({ message }) => message);
  }

  private watch(name: string, candidate: Candidate): void {
    const source = {
      get isLeader(): boolean {
        return candidate.leadership !== null;
      },
      get epoch(): number | null {
        return candidate.leadership?.epoch ?? null;
      },
    };
    const sampler = new BeliefSampler(name, source, sharedNowMs, (event) =>
      this.history.push(event),
    );
    const timer = setInterval(() => sampler.look(), LOOK_EVERY_MS);
    candidate.onChange(() => sampler.look());
    this.stopLooking.push(() => {
      clearInterval(timer);
      sampler.end();
    });
  }

  private config(name: string, over: Partial<ElectionConfig>): ElectionConfig {
    const leaseTtlMs = over.leaseTtlMs ?? TTL_MS;
    return {
      election: this.election,
      by: holder(name),
      holdOff: 'auto',
      campaign: true,
      leaseTtlMs,
      renewIntervalMs: leaseTtlMs / 3,
      safetyMarginMs: leaseTtlMs / 5,
      commandTimeoutMs: leaseTtlMs / 5,
      drainTimeoutMs: 1_000,
      minReplicaAcks: 0,
      ...over,
    };
  }
}

/** Every event to both of them. */
function both(recorder: ElectionEvents, listener: Partial<ElectionEvents>): ElectionEvents {
  const listeners = EVENT_NAMES.map((event) => [
    event,
    (detail: never): void => {
      recorder[event](detail);
      listener[event]?.(detail);
    },
  ]);
  return Object.fromEntries(listeners);
}
