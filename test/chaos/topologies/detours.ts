/** Networks between one worker and each of several servers that tell it of one another by address. */
import type { Address, Detours } from '../../support/process/worker-redis.js';
import type { RedisServer } from '../../support/redis/redis-server.js';
import { TcpProxy } from '../../support/redis/tcp-proxy.js';

export interface OpenDetours {
  readonly networks: readonly TcpProxy[];
  readonly detours: Detours;
  /** Where this worker finds the server. */
  readonly addressOf: (server: RedisServer) => Address;
}

export async function openDetours(servers: readonly RedisServer[]): Promise<OpenDetours> {
  const ways = await Promise.all(
    servers.map(async (server) => {
      const network = await TcpProxy.start(server.port);
      return { server, network, address: { host: '127.0.0.1', port: network.port } };
    }),
  );
  return {
    networks: ways.map(({ network }) => network),
    detours: Object.fromEntries(
      ways.map(({ server, address }) => [`${server.address.host}:${server.port}`, address]),
    ),
    addressOf: (server) => ways.find((way) => way.server === server)?.address ?? server.address,
  };
}
