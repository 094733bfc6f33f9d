import { electionKeys } from '../../lib/stores/redis/redis-keys.js';
import { RedisLeaseStore } from '../../lib/stores/redis/redis-lease-store.js';
import { RedisServer } from '../support/redis/redis-server.js';
import { describeLeaseStore, type StoreUnderTest } from './lease-store.contract.js';

describeLeaseStore('RedisLeaseStore', openRedisStore);

async function openRedisStore(): Promise<StoreUnderTest> {
  const server = await RedisServer.start();
  const { admin } = server;
  const store = new RedisLeaseStore({ redis: server.url });
  // The 'auto' exception needs a server that has been up for a second, counted in whole ones.
  await server.untilUpFor(2);
  return {
    store,
    upMs: 2_000,
    elapse: (ms) => server.elapse(ms),
    flush: async () => void (await admin.flushall()),
    evictLease: async (election) => {
      await admin.del(electionKeys('leader-election', election).lease);
    },
    // As a failover or a restart does; test/redis/restart.test.ts does it with real ones.
    changeServer: async (election) => {
      await admin.hset(electionKeys('leader-election', election).record, 'server', 'another');
    },
    // The ends are moved instead of the clock, which is the same to whoever compares them.
    setClockBack: async (election, ms) => {
      const keys = electionKeys('leader-election', election);
      await admin.pexpire(keys.lease, (await admin.pttl(keys.lease)) + ms);
      await admin.hincrby(keys.record, 'expiresAt', ms);
    },
    close: async () => {
      await store.close();
      await server.stop();
    },
  };
}
