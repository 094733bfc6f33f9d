import { Candidate, type RunsInFlight } from '../../../lib/election/candidate.js';
import type { ElectionConfig } from '../../../lib/election/election-config.interface.js';
import type {
  ElectionEvents,
  LeadershipChange,
} from '../../../lib/election/election-events.interface.js';
import { EVENT_NAMES } from '../../../lib/events/tell-listeners.js';
import type { Leadership } from '../../../lib/election/leadership.js';
import { LeaseTime } from '../../../lib/election/lease-time.js';
import { InMemoryLeaseStore } from '../../../lib/stores/memory/in-memory-lease-store.js';
import type { ServerMoment, StoredElection } from '../../../lib/stores/memory/lease-rules.js';
import { historyRecorder } from '../../../lib/testing/history-recorder.js';
import { History } from './history.js';
import { ScriptedStore } from './scripted-store.js';
import { seededRandom } from './seeded-random.js';
import { Transcript } from './transcript.js';
import { VirtualClock } from './virtual-clock.js';

export const TTL_MS = 10_000;
export const RENEW_MS = 3333;
export const MARGIN_MS = 2000;
export const TIMEOUT_MS = 1666;
export const DRAIN_MS = 10_000;
/** How long a leadership lasts from when its request was sent (rule 1). */
export const VALID_MS = TTL_MS - MARGIN_MS;
/** A free lease is noticed within this by whoever waits for it. */
export const PROBE_MS = 6;
/** The longest wait before a call that failed is repeated. */
export const RETRY_MS = 334;

const ELECTION = 'default';

/** Names of one width keep transcripts readable. */
export function nameOf(index: number): string {
  return index < 26 ? String.fromCodePoint(97 + index) : `n${index}`;
}

/** Leader-only work, as the test says. */
export class TestRuns implements RunsInFlight {
  private readonly running = new Set<() => void>();
  private waiting: (() => void)[] = [];

  /** Begins a run; the returned function ends it. */
  begin(): () => void {
    const end = (): void => {
      this.running.delete(end);
      if (this.running.size > 0) return;
      for (const resolve of this.waiting) resolve();
      this.waiting = [];
    };
    this.running.add(end);
    return end;
  }

  async idle(_leadership: Leadership): Promise<void> {
    if (this.running.size === 0) return;
    await new Promise<void>((resolve) => {
      this.waiting.push(resolve);
    });
  }
}

/** A server that can restart; whether it keeps its data is up to the test. */
export class TestServer {
  private starts = 1;
  private startedAt: number;

  constructor(upMs = 0) {
    this.startedAt = -upMs;
  }

  moment(clock: VirtualClock): ServerMoment {
    const upMs = clock.elapsedMs - this.startedAt;
    return { id: `server-${this.starts}`, nowMs: clock.wallMs(), upMs };
  }

  restart(clock: VirtualClock): void {
    this.starts += 1;
    this.startedAt = clock.elapsedMs;
  }
}

/** One process that takes part. */
export interface TestNode {
  readonly name: string;
  readonly clock: VirtualClock;
  readonly store: ScriptedStore;
  readonly candidate: Candidate;
  readonly runs: TestRuns;
  readonly config: ElectionConfig;
  readonly changes: LeadershipChange[];
  /** Every event, as `name` or `name(detail)`. */
  readonly told: string[];
}

export interface NodeOptions {
  readonly config?: Partial<ElectionConfig>;
  readonly clock?: VirtualClock;
  readonly strict?: boolean;
  readonly random?: () => number;
  readonly events?: Partial<ElectionEvents>;
}

export interface ContestOptions {
  /** What the server says of itself; a server that never restarts when left out. */
  readonly server?: TestServer;
  readonly seed?: number;
}

/** Candidates of one election on one in-memory store in one virtual time, and all that is seen of them. */
export class Contest {
  readonly clock = new VirtualClock();
  readonly history = new History();
  readonly transcript = new Transcript(this.clock);
  readonly server: InMemoryLeaseStore;
  readonly nodes: TestNode[] = [];
  private readonly random: () => number;

  constructor(options: ContestOptions = {}) {
    this.random = seededRandom(options.seed ?? 1);
    const clock = this.clock.fork();
    const { server } = options;
    this.server = new InMemoryLeaseStore(
      server === undefined ? { clock } : { server: () => server.moment(clock) },
    );
    this.clock.afterEachStep(() => void this.look());
  }

  /** A contest of `count` candidates that have been started; nothing has been answered yet. */
  static of(count: number, options: ContestOptions & NodeOptions = {}): Contest {
    const contest = new Contest(options);
    for (let index = 0; index < count; index += 1) contest.join(options);
    return contest;
  }

  /** Makes a candidate and starts it. */
  join(options: NodeOptions = {}): TestNode {
    const node = this.add(options);
    node.candidate.start();
    return node;
  }

  /** Makes a candidate, to be started by the test. */
  add({ config, clock = this.clock.fork(), strict, random, events }: NodeOptions = {}): TestNode {
    const name = nameOf(this.nodes.length);
    const store = new ScriptedStore(this.server, clock, {
      name,
      transcript: this.transcript,
      strict: strict === true,
    });
    const fullConfig = testConfig(name, config);
    const changes: LeadershipChange[] = [];
    const told: string[] = [];
    const runs = new TestRuns();
    const recorder = historyRecorder(name, (event) => this.history.events.push(event), {
      now: () => this.look(),
    });
    const listen = recording(told, (...heard) => {
      tellAlso(recorder, heard);
      this.describe(name, heard);
      tellAlso(events, heard);
    });
    const candidate = new Candidate(
      {
        config: fullConfig,
        store,
        clock,
        time: new LeaseTime(clock),
        events: listen,
        random: random ?? this.random,
      },
      runs,
    );
    candidate.onChange((change) => changes.push(change));
    const node = { name, clock, store, candidate, runs, config: fullConfig, changes, told };
    this.nodes.push(node);
    return node;
  }

  node(index: number): TestNode {
    const node = this.nodes[index];
    if (node === undefined) throw new Error(`There is no candidate ${index}.`);
    return node;
  }

  get leaders(): TestNode[] {
    return this.nodes.filter(({ candidate }) => candidate.leadership !== null);
  }

  /** The one leader; throws when there is none or there are several. */
  get leader(): TestNode {
    const [leader, ...others] = this.leaders;
    if (leader === undefined || others.length > 0) {
      throw new Error(`${this.leaders.length} candidates lead at ${this.clock.elapsedMs}.`);
    }
    return leader;
  }

  advance(ms: number): Promise<void> {
    return this.clock.advance(ms);
  }

  /** Advances in steps until somebody leads, at most `limitMs`; returns how long that took. */
  async untilLed(limitMs: number): Promise<number> {
    const from = this.clock.elapsedMs;
    while (this.leaders.length === 0) {
      if (this.clock.elapsedMs - from >= limitMs) throw new Error(`Nobody leads in ${limitMs} ms.`);
      await this.advance(1);
    }
    return this.clock.elapsedMs - from;
  }

  /** Stops everybody, lets that finish, and checks the history and that nothing was left behind. */
  async close(): Promise<void> {
    const stopped = { all: false };
    void Promise.all(this.nodes.map(({ candidate }) => candidate.stop())).then(() => {
      stopped.all = true;
    });
    for (let waitedMs = 0; !stopped.all; waitedMs += 100) {
      if (waitedMs > 60_000) throw new Error('Not every candidate stops.');
      await this.advance(100);
    }
    for (const { name, clock, store } of this.nodes) {
      if (clock.pendingTimers > 0) throw new Error(`${name} left ${clock.pendingTimers} timers.`);
      if (store.openWatchers > 0) throw new Error(`${name} still watches.`);
    }
    this.history.verify();
  }

  /** What the store keeps. Read and changed by tests as a person with `redis-cli` would. */
  get stored(): StoredElection {
    // The store has no such door on purpose; tests take the wall.
    const { elections } = this.server as unknown as { elections: Map<string, StoredElection> };
    const stored = elections.get(ELECTION) ?? { lease: null, record: null };
    elections.set(ELECTION, stored);
    return stored;
  }

  /** Somebody deletes the lease and leaves the record. */
  deleteLease(): void {
    this.stored.lease = null;
  }

  private describe(who: string, [event, detail]: Heard): void {
    if (event !== 'changed') return;
    const { change } = detail as Parameters<ElectionEvents['changed']>[0];
    this.transcript.add(who, `is ${describeChange(change)}`);
  }

  /** Whatever is told is recorded after a look at everybody, and with its instant. */
  private look(): number {
    return this.history.look(this.clock.elapsedMs, this.nodes);
  }
}

export function testConfig(name: string, config: Partial<ElectionConfig> = {}): ElectionConfig {
  return {
    election: ELECTION,
    by: { holder: `${name}-random`, nodeId: name, metadata: { url: `http://${name}` } },
    holdOff: 'auto',
    minReplicaAcks: 0,
    campaign: true,
    leaseTtlMs: TTL_MS,
    renewIntervalMs: RENEW_MS,
    safetyMarginMs: MARGIN_MS,
    commandTimeoutMs: TIMEOUT_MS,
    drainTimeoutMs: DRAIN_MS,
    ...config,
  };
}

function describeChange({ state, epoch, leader, reason }: LeadershipChange): string {
  const parts: string[] = [state];
  if (epoch !== null) parts.push(`epoch ${epoch}`);
  else if (leader !== null && state === 'follower') parts.push(`of ${leader.nodeId}`);
  if (reason !== null) parts.push(`(${reason})`);
  return parts.join(' ');
}

type Heard = readonly [event: keyof ElectionEvents, detail: unknown];

function recording(told: string[], hear: (...heard: Heard) => void): ElectionEvents {
  const listeners = EVENT_NAMES.map((event) => [
    event,
    (detail: Readonly<Record<string, unknown>>): void => {
      const what = detail['reason'] ?? detail['operation'] ?? detail['because'];
      told.push(typeof what === 'string' ? `${event}(${what})` : event);
      hear(event, detail);
    },
  ]);
  return Object.fromEntries(listeners);
}

function tellAlso(events: Partial<ElectionEvents> | undefined, [event, detail]: Heard): void {
  const listener = events?.[event] as ((detail: unknown) => void) | undefined;
  listener?.(detail);
}
