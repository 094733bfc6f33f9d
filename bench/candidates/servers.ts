/** Some Redis servers for as long as a measure takes. */
import { RedisServer } from '../../test/support/redis/redis-server.js';
import { TTL_MS } from './contest.js';

/** They have been up for longer than a lease: there is nothing that they may have forgotten. */
export async function withServers<T>(
  count: number,
  use: (servers: readonly RedisServer[]) => Promise<T>,
): Promise<T> {
  const servers: RedisServer[] = [];
  try {
    while (servers.length < count) servers.push(await RedisServer.start());
    const upForS = Math.ceil(TTL_MS / 1000) + 2;
    await Promise.all(servers.map((server) => server.untilUpFor(upForS)));
    return await use(servers);
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}
