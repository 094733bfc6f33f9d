/** One Redis. */
import { RedisServer } from '../../support/redis/redis-server.js';
import { TcpProxy } from '../../support/redis/tcp-proxy.js';
import { serverFaults } from '../faults/server.faults.js';
import type { Route, Topology } from './topology.interface.js';

export class OneServer implements Topology {
  readonly recoveryMs = 4000;
  readonly faults = serverFaults({
    target: () => Promise.resolve(this.server),
    losing: () => undefined,
  });

  private constructor(private readonly server: RedisServer) {}

  static async start(): Promise<OneServer> {
    return new OneServer(await RedisServer.start());
  }

  async openRoute(): Promise<Route> {
    const network = await TcpProxy.start(this.server.port);
    return { redis: network.url, networks: [network] };
  }

  async untilWhole(): Promise<void> {
    await this.server.admin.ping();
  }

  async stop(): Promise<void> {
    await this.server.stop();
  }
}
