/** Several workers and a Redis, each worker behind a network of its own, and the history of what they did. */
import {
  checkHistory,
  firstLedAfter,
  type HistoryEvent,
  type LedWithin,
  sharedNowMs,
} from '../../../lib/index.js';
import { awaitUntil } from '../await-until.js';
import { RedisServer } from '../redis/redis-server.js';
import { TcpProxy } from '../redis/tcp-proxy.js';
import { LagMeter } from './lag-meter.js';
import { WorkerProcess } from './worker-process.js';
import type { WorkerOptions } from './worker-protocol.js';

/** Longer than a belief takes to be told. */
const TELLING_MS = 150;
const LEADER_TIMEOUT_MS = 20_000;
/** Starts faster than with an HTTP server, which few tests need. */
const DEFAULT_KIND = 'context';

export type ClusterOptions = Omit<WorkerOptions, 'node' | 'redis'> & {
  readonly size?: number;
};

export class Cluster {
  readonly expected: LedWithin[] = [];
  /** How long it took until somebody led again, by what had happened. */
  readonly takeOvers = new Map<string, number[]>();
  private readonly all: WorkerProcess[] = [];
  private readonly lag = new LagMeter();
  private readonly proxies = new Map<string, TcpProxy>();
  private started = 0;

  private constructor(
    readonly redis: RedisServer,
    private readonly options: ClusterOptions,
  ) {}

  /** Starts a cluster, waits for its first leader, and takes everything away afterwards, whatever happens. */
  static async run(options: ClusterOptions, test: (cluster: Cluster) => Promise<void>) {
    const cluster = new Cluster(await RedisServer.start(), options);
    try {
      await Promise.all(Array.from({ length: options.size ?? 3 }, () => cluster.add()));
      await cluster.leader();
      await test(cluster);
      await cluster.verify();
    } finally {
      await cluster.stop();
    }
  }

  get workers(): readonly WorkerProcess[] {
    return this.all.filter(({ running }) => running);
  }

  get history(): readonly HistoryEvent[] {
    return this.all.flatMap(({ history }) => history);
  }

  async add(more: Partial<WorkerOptions> = {}): Promise<WorkerProcess> {
    this.started += 1;
    const node = `w${this.started}`;
    const proxy = await TcpProxy.start(this.redis.port);
    this.proxies.set(node, proxy);
    const { size: _, ...options } = this.options;
    const worker = await WorkerProcess.start({
      kind: DEFAULT_KIND,
      ...options,
      ...more,
      node,
      redis: proxy.url,
    });
    this.all.push(worker);
    return worker;
  }

  /** The one worker that leads now, or soon. */
  async leader(): Promise<WorkerProcess> {
    const leading = () => this.workers.find(({ believes }) => believes);
    await awaitUntil(() => leading() !== undefined, {
      timeoutMs: LEADER_TIMEOUT_MS,
      what: 'somebody leads',
    });
    return leading() as WorkerProcess;
  }

  followers(leader: WorkerProcess): readonly WorkerProcess[] {
    return this.workers.filter((worker) => worker !== leader);
  }

  /** The network between this worker and Redis. */
  network({ node }: WorkerProcess): TcpProxy {
    const proxy = this.proxies.get(node);
    if (proxy === undefined) throw new Error(`No network for ${node}.`);
    return proxy;
  }

  /** Waits until somebody else leads, notes how long that took, and puts the bound under test. */
  async takenOver(fault: string, led: LedWithin): Promise<void> {
    await awaitUntil(() => firstLedAfter(this.history, led) !== null, {
      timeoutMs: LEADER_TIMEOUT_MS,
      what: `somebody leads after ${fault}`,
    });
    const tookMs = (firstLedAfter(this.history, led) ?? Infinity) - led.after;
    this.takeOvers.set(fault, [...(this.takeOvers.get(fault) ?? []), tookMs]);
    this.expected.push({ ...led, withinMs: led.withinMs + this.lag.allowanceSince(led.after) });
  }

  /** Throws with everything that is wrong with the history so far. */
  async verify(): Promise<void> {
    await sleep(TELLING_MS);
    const violations = checkHistory(this.history, { ledWithin: this.expected });
    if (violations.length === 0) return;
    const shown = violations.slice(0, 10).map(({ rule, message }) => `  ${rule}: ${message}`);
    throw new Error(`The history breaks ${violations.length} rules:\n${shown.join('\n')}`);
  }

  private async stop(): Promise<void> {
    this.lag.stop();
    await Promise.all(this.all.map((worker) => worker.kill()));
    await Promise.all([...this.proxies.values()].map((proxy) => proxy.close()));
    await this.redis.stop();
  }
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

export async function sleepUntil(instant: number): Promise<void> {
  await sleep(Math.max(0, instant - sharedNowMs()));
}
