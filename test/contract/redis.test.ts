/** The contract on real servers: one Redis, and a quorum of three to all of which the same happens. */
import { electionKeys } from '../../lib/stores/redis/redis-keys.js';
import { QuorumLeaseStore } from '../../lib/stores/quorum/quorum-lease-store.js';
import { RedisLeaseStore } from '../../lib/stores/redis/redis-lease-store.js';
import { RedisServer } from '../support/redis/redis-server.js';
import { describeLeaseStore, type StoreUnderTest } from './lease-store.contract.js';

describeLeaseStore('RedisLeaseStore', () =>
  openServers(1, ([url = '']) => new RedisLeaseStore({ redis: url })),
);
describeLeaseStore(
  'QuorumLeaseStore of three Redis servers',
  () =>
    openServers(
      3,
      (urls) => new QuorumLeaseStore(urls.map((redis) => new RedisLeaseStore({ redis }))),
    ),
  { isQuorum: true },
);

async function openServers(
  count: number,
  open: (urls: readonly string[]) => StoreUnderTest['store'],
): Promise<StoreUnderTest> {
  const servers = await Promise.all(Array.from({ length: count }, () => RedisServer.start()));
  const store = open(servers.map(({ url }) => url));
  const each = (act: (server: RedisServer) => Promise<unknown>) => Promise.all(servers.map(act));
  // The 'auto' exception needs a server that has been up for a second, counted in whole ones.
  await each((server) => server.untilUpFor(2));
  return {
    store,
    upMs: 2_000,
    elapse: async (ms) => void (await each((server) => server.elapse(ms))),
    flush: async () => void (await each(({ admin }) => admin.flushall())),
    evictLease: async (election) => {
      const { lease } = electionKeys('leader-election', election);
      await each(({ admin }) => admin.del(lease));
    },
    // As a failover or a restart does; test/redis/restart.test.ts does it with real ones.
    changeServer: async (election) => {
      const { record } = electionKeys('leader-election', election);
      await each(({ admin }) => admin.hset(record, 'server', 'another'));
    },
    // The ends are moved instead of the clock, which is the same to whoever compares them.
    setClockBack: async (election, ms) => {
      const keys = electionKeys('leader-election', election);
      await each(async ({ admin }) => {
        await admin.pexpire(keys.lease, (await admin.pttl(keys.lease)) + ms);
        await admin.hincrby(keys.record, 'expiresAt', ms);
      });
    },
    close: async () => {
      await store.close();
      await each((server) => server.stop());
    },
  };
}
