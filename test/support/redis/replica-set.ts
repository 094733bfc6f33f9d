/** A primary with replicas that copy it asynchronously, each over a network of its own that a test can cut. */
import { awaitUntil } from '../await-until.js';
import { RedisServer, type RedisServerOptions } from './redis-server.js';
import { orStop, startAll, stopAll } from './start-all.js';
import { TcpProxy } from './tcp-proxy.js';

const SYNC_TIMEOUT_MS = 20_000;

export interface ReplicaSetOptions extends RedisServerOptions {
  /** @default 1 */
  readonly replicas?: number;
}

interface Follower {
  readonly server: RedisServer;
  /** What the replica reaches its primary through. */
  readonly network: TcpProxy;
}

export class ReplicaSet {
  private constructor(
    readonly primary: RedisServer,
    private readonly followers: readonly Follower[],
  ) {}

  static async start({ replicas = 1, ...options }: ReplicaSetOptions = {}): Promise<ReplicaSet> {
    const primary = await RedisServer.start(options);
    return orStop([primary], async () => {
      const servers = await startAll(replicas, () => RedisServer.start(options));
      return orStop(servers, async () => {
        const followers = await Promise.all(
          servers.map(async (server) => ({ server, network: await TcpProxy.start(primary.port) })),
        );
        await Promise.all(followers.map(({ server, network }) => followPort(server, network.port)));
        return new ReplicaSet(primary, followers);
      });
    });
  }

  get replicas(): readonly RedisServer[] {
    return this.followers.map(({ server }) => server);
  }

  replica(index = 0): RedisServer {
    const server = this.replicas[index];
    if (server === undefined) throw new Error(`There is no replica ${index}.`);
    return server;
  }

  /** From now on no replica hears of anything that is written. */
  breakReplication(): void {
    for (const { network } of this.followers) network.cut();
  }

  healReplication(): void {
    for (const { network } of this.followers) network.heal();
  }

  /** Until every replica has all that was written so far. */
  async caughtUp(): Promise<void> {
    await awaitUntil(
      async () => (await this.primary.admin.wait(this.followers.length, 1_000)) > 0,
      { what: 'the replicas have caught up', timeoutMs: SYNC_TIMEOUT_MS },
    );
  }

  async stop(): Promise<void> {
    await Promise.all(this.followers.map(({ network }) => network.close()));
    await stopAll([this.primary, ...this.replicas]);
  }
}

/** It takes writes from now on, with what it has. */
export async function promote(server: RedisServer): Promise<void> {
  await server.admin.replicaof('NO', 'ONE');
}

/** Makes it a replica, and waits until it is in sync with its primary. */
export function follow(server: RedisServer, primary: RedisServer): Promise<void> {
  return followPort(server, primary.port);
}

async function followPort(server: RedisServer, port: number): Promise<void> {
  await server.admin.replicaof('127.0.0.1', port);
  await awaitUntil(async () => (await server.info('replication', 'master_link_status')) === 'up', {
    what: 'the replica is in sync',
    timeoutMs: SYNC_TIMEOUT_MS,
  });
}
