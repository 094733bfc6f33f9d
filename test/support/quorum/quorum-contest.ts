/** Candidates of one election over several servers in virtual time, and all that is seen of them. */
import { Candidate } from '../../../lib/election/candidate.js';
import type { ElectionConfig } from '../../../lib/election/election-config.interface.js';
import type { ElectionEvents } from '../../../lib/election/election-events.interface.js';
import { LeaseTime } from '../../../lib/election/lease-time.js';
import { tellListeners } from '../../../lib/events/tell-listeners.js';
import { QuorumLeaseStore } from '../../../lib/stores/quorum/quorum-lease-store.js';
import { historyRecorder } from '../../../lib/testing/history-recorder.js';
import { nameOf, testConfig, TestRuns } from '../election/candidates.js';
import { History } from '../election/history.js';
import { seededRandom } from '../election/seeded-random.js';
import { VirtualClock } from '../election/virtual-clock.js';
import { MemberLink, type MemberOperation } from './member-link.js';
import { MemberServer } from './member-server.js';

export interface QuorumNode {
  readonly name: string;
  readonly candidate: Candidate;
  readonly store: QuorumLeaseStore;
  /** One to each server, in their order. */
  readonly links: readonly MemberLink[];
  readonly clock: VirtualClock;
  readonly notices: string[];
  readonly failures: unknown[];
}

export interface QuorumContestOptions {
  readonly servers?: number;
  readonly seed?: number;
  /** Between 0 and twice this, in ms, for each message of each candidate; 0 when left out. */
  readonly latencyMs?: number;
  /** Nobody has ever led; otherwise somebody did before, and has released the lease everywhere. */
  readonly isNew?: boolean;
}

/** Of a leadership before the test. */
const EARLIER_EPOCH = Date.UTC(2029, 0, 1);

export class QuorumContest {
  readonly clock = new VirtualClock();
  readonly history = new History();
  readonly servers: readonly MemberServer[];
  readonly nodes: QuorumNode[] = [];
  readonly random: () => number;
  private readonly latencyMs: number;

  constructor({ servers = 3, seed = 1, latencyMs = 0, isNew = false }: QuorumContestOptions = {}) {
    this.random = seededRandom(seed);
    this.latencyMs = latencyMs;
    this.servers = Array.from({ length: servers }, () => new MemberServer(this.clock.fork()));
    if (!isNew) for (const server of this.servers) server.remember(EARLIER_EPOCH);
    this.clock.afterEachStep(() => void this.look());
  }

  static of(count: number, options: QuorumContestOptions = {}): QuorumContest {
    const contest = new QuorumContest(options);
    for (let index = 0; index < count; index += 1) contest.join();
    return contest;
  }

  /** Makes a candidate and starts it. */
  join(config: Partial<ElectionConfig> = {}): QuorumNode {
    const node = this.add(config);
    node.candidate.start();
    return node;
  }

  /** Makes a candidate, to be started by the test. */
  add(config: Partial<ElectionConfig> = {}): QuorumNode {
    const name = nameOf(this.nodes.length);
    const clock = this.clock.fork();
    const links = this.servers.map((server) => new MemberLink(server, clock));
    if (this.latencyMs > 0) {
      const onTheWay = () => this.random() * this.latencyMs * 2;
      for (const link of links) {
        link.trouble = () => ({ requestMs: onTheWay(), replyMs: onTheWay() });
      }
    }
    const store = new QuorumLeaseStore(links, { clock, random: this.random });
    const notices: string[] = [];
    const failures: unknown[] = [];
    const recorder = historyRecorder(name, (event) => this.history.events.push(event), {
      now: () => this.look(),
    });
    const listener: Partial<ElectionEvents> = {
      notice: ({ text }) => notices.push(text),
      storeFailed: ({ error }) => failures.push(error),
    };
    const events = tellListeners([recorder, listener], (error) => {
      throw error;
    });
    const candidate = new Candidate(
      {
        config: testConfig(name, config),
        store,
        clock,
        time: new LeaseTime(clock),
        events,
        random: this.random,
      },
      new TestRuns(),
    );
    const node = { name, candidate, store, links, clock, notices, failures };
    this.nodes.push(node);
    return node;
  }

  node(index: number): QuorumNode {
    return at(this.nodes, index);
  }

  server(index: number): MemberServer {
    return at(this.servers, index);
  }

  get leaders(): QuorumNode[] {
    return this.nodes.filter(({ candidate }) => candidate.leadership !== null);
  }

  /** The one leader; throws when there is none or there are several. */
  get leader(): QuorumNode {
    const { leaders } = this;
    if (leaders.length !== 1) throw new Error(`${leaders.length} lead at ${this.clock.elapsedMs}.`);
    return at(leaders, 0);
  }

  /** The epoch that this candidate leads with, or null. */
  epochOf(index: number): number | null {
    return this.node(index).candidate.leadership?.epoch ?? null;
  }

  advance(ms: number): Promise<void> {
    return this.clock.advance(ms);
  }

  /** Advances until somebody leads, at most `limitMs`; returns how long that took. */
  async untilLed(limitMs: number): Promise<number> {
    const from = this.clock.elapsedMs;
    while (this.leaders.length === 0) {
      if (this.clock.elapsedMs - from >= limitMs) throw new Error(`Nobody leads in ${limitMs} ms.`);
      await this.advance(1);
    }
    return this.clock.elapsedMs - from;
  }

  /** How often one operation, or any, was asked of any server by any candidate. */
  commands(operation: MemberOperation | null = null, sinceMs = 0): number {
    return this.nodes
      .flatMap(({ links }) => links.flatMap(({ calls }) => calls))
      .filter((call) => call.at >= sinceMs && (operation ?? call.operation) === call.operation)
      .length;
  }

  /** Stops everybody, closes the stores, and checks the history and that nothing was left behind. */
  async close(): Promise<void> {
    const closed = { all: false };
    const closing = Promise.all(
      this.nodes.map(async ({ candidate, store }) => {
        await candidate.stop();
        await store.close();
      }),
    ).then(() => (closed.all = true));
    for (let waitedMs = 0; !closed.all; waitedMs += 100) {
      if (waitedMs > 60_000) throw new Error('Not every candidate stops.');
      await this.advance(100);
    }
    await closing;
    for (const { name, clock, links } of this.nodes) {
      if (clock.pendingTimers > 0) throw new Error(`${name} left ${clock.pendingTimers} timers.`);
      if (links.some(({ openWatchers }) => openWatchers > 0)) throw new Error(`${name} watches.`);
    }
    this.history.verify();
  }

  private look(): number {
    return this.history.look(this.clock.elapsedMs, this.nodes);
  }
}

function at<T>(items: readonly T[], index: number): T {
  const item = items[index];
  if (item === undefined) throw new Error(`There is no ${index} here.`);
  return item;
}
