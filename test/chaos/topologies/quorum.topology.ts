/** Three independent servers. One at a time may lose its data: more is not promised. */
import { sharedNowMs } from '../../../lib/index.js';
import type { RedisServer } from '../../support/redis/redis-server.js';
import { RedisServer as Server } from '../../support/redis/redis-server.js';
import { startAll, stopAll } from '../../support/redis/start-all.js';
import { NotNow, oneOf } from '../faults/fault.interface.js';
import { serverFaults } from '../faults/server.faults.js';
import { openDetours } from './detours.js';
import type { Route, Topology } from './topology.interface.js';

const SERVERS = 3;
/** A server that is back is told of the present lease within two leases of any length here, or that lease is over. */
const TOLD_WITHIN_MS = 4000;
/** How long a restart takes, on a busy machine. */
const RESTART_MS = 1500;

export class QuorumTopology implements Topology {
  readonly recoveryMs = 4000;
  readonly faults = serverFaults({
    target: ({ whom }) => Promise.resolve(oneOf(this.servers, whom)),
    losing: (server, downMs) => this.lose(server, downMs),
  });
  private readonly lossUntil = new Map<RedisServer, number>();

  private constructor(private readonly servers: readonly RedisServer[]) {}

  static async start(): Promise<QuorumTopology> {
    return new QuorumTopology(await startAll(SERVERS, () => Server.start()));
  }

  async openRoute(): Promise<Route> {
    const { networks } = await openDetours(this.servers);
    return { redis: networks.map(({ url }) => url), networks };
  }

  async untilWhole(): Promise<void> {
    await Promise.all(this.servers.map(({ admin }) => admin.ping()));
  }

  async stop(): Promise<void> {
    await stopAll(this.servers);
  }

  private lose(server: RedisServer, downMs: number): void {
    const now = sharedNowMs();
    const others = [...this.lossUntil].filter(([other, until]) => other !== server && until > now);
    if (others.length > 0) throw new NotNow('Another server has lost its data just now.');
    this.lossUntil.set(server, now + downMs + RESTART_MS + TOLD_WITHIN_MS);
  }
}
