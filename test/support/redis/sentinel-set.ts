/** A primary and two replicas, watched by three Sentinels that agree on who is the primary. */
import { awaitUntil } from '../await-until.js';
import { answerInTime } from './answer-in-time.js';
import { RedisServer } from './redis-server.js';
import { follow } from './replica-set.js';
import { orStop, startAll, stopAll } from './start-all.js';

const NAME = 'main';
const SENTINELS = 3;
const REPLICAS = 2;
const QUORUM = 2;
/** How long a server must be silent to count as down. */
const DOWN_AFTER_MS = 500;
const FAILOVER_TIMEOUT_MS = 3_000;
/** Sentinels learn of one another, of replicas and of roles so often, in place of every ten seconds. */
const LOOK_EVERY_MS = '200';
const AGREE_TIMEOUT_MS = 30_000;

export class SentinelSet {
  private constructor(
    readonly servers: readonly RedisServer[],
    readonly sentinels: readonly RedisServer[],
  ) {}

  static async start(): Promise<SentinelSet> {
    const servers = await startAll(1 + REPLICAS, () => RedisServer.start());
    return orStop(servers, async () => {
      const [primary, ...replicas] = servers;
      if (primary === undefined) throw new Error('No server was started.');
      await Promise.all(replicas.map((replica) => follow(replica, primary)));
      const sentinel = [
        `sentinel monitor ${NAME} 127.0.0.1 ${primary.port} ${QUORUM}`,
        `sentinel down-after-milliseconds ${NAME} ${DOWN_AFTER_MS}`,
        `sentinel failover-timeout ${NAME} ${FAILOVER_TIMEOUT_MS}`,
        `sentinel parallel-syncs ${NAME} ${REPLICAS}`,
      ];
      const sentinels = await startAll(SENTINELS, () => RedisServer.start({ sentinel }));
      return orStop(sentinels, async () => {
        const set = new SentinelSet(servers, sentinels);
        await set.hasten();
        await set.complete();
        return set;
      });
    });
  }

  /** For `new Redis(…)`, or for `redis` as they are. */
  get client(): { readonly name: string; readonly sentinels: { host: string; port: number }[] } {
    return { name: NAME, sentinels: this.sentinels.map(({ address }) => ({ ...address })) };
  }

  /** The server that the Sentinels hold for the primary; they may not have agreed yet. */
  async primary(): Promise<RedisServer> {
    for (const { admin } of this.sentinels) {
      const address = await answerInTime(admin.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', NAME));
      const found = this.servers.find(
        ({ port }) => Array.isArray(address) && Number(address[1]) === port,
      );
      if (found !== undefined) return found;
    }
    throw new Error('No Sentinel knows a primary.');
  }

  /** Makes a replica the primary, orderly, and waits until it is; returns it. */
  async failover(): Promise<RedisServer> {
    const before = await this.primary();
    const sentinel = this.sentinel();
    await awaitUntil(
      () =>
        sentinel.admin.call('SENTINEL', 'FAILOVER', NAME).then(
          () => true,
          // One is in progress, or no replica has been found good yet.
          () => false,
        ),
      { what: 'a failover begins', timeoutMs: AGREE_TIMEOUT_MS },
    );
    return this.primaryAfter(before);
  }

  /** Waits until the Sentinels have put another server in place of this one; returns it. */
  async primaryAfter(before: RedisServer): Promise<RedisServer> {
    await awaitUntil(
      async () => {
        const now = await this.primary();
        return now !== before && (await now.info('replication', 'role')) === 'master';
      },
      { what: 'another server is the primary', timeoutMs: AGREE_TIMEOUT_MS },
    );
    return this.primary();
  }

  /** Until every Sentinel knows of all the others and of all replicas, and the replicas follow the primary. */
  async complete(): Promise<void> {
    await awaitUntil(
      async () =>
        (await Promise.all(this.sentinels.map((each) => this.knowsAll(each)))).every(Boolean),
      { what: 'the Sentinels know one another', timeoutMs: AGREE_TIMEOUT_MS },
    );
  }

  async stop(): Promise<void> {
    await stopAll([...this.sentinels, ...this.servers]);
  }

  private sentinel(): RedisServer {
    const [first] = this.sentinels;
    if (first === undefined) throw new Error('There is no Sentinel.');
    return first;
  }

  private async knowsAll({ admin }: RedisServer): Promise<boolean> {
    const master = fields(await admin.call('SENTINEL', 'MASTER', NAME));
    return (
      master['flags'] === 'master' &&
      master['num-slaves'] === String(REPLICAS) &&
      master['num-other-sentinels'] === String(SENTINELS - 1)
    );
  }

  /** Shortens the pauses of Sentinels that can do so; others are only slower. */
  private async hasten(): Promise<void> {
    const periods = ['info-period', 'publish-period', 'ask-period', 'ping-period'];
    const settings = periods.flatMap((period) => [period, LOOK_EVERY_MS]);
    await Promise.all(
      this.sentinels.map(({ admin }) =>
        admin.call('SENTINEL', 'DEBUG', ...settings).catch(() => undefined),
      ),
    );
  }
}

/** What Redis sends as name, value, name, value … */
function fields(flat: unknown): Record<string, string> {
  if (!Array.isArray(flat)) return {};
  const words = flat.map(String);
  return Object.fromEntries(
    words.flatMap((name, index) => (index % 2 === 0 ? [[name, words[index + 1] ?? '']] : [])),
  );
}
