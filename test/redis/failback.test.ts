/** A primary that was demoted and promoted again is the same process, and may still lack what was granted meanwhile. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { RedisLeaseStore } from '../../lib/stores/redis/redis-lease-store.js';
import { awaitUntil } from '../support/await-until.js';
import { RedisServer } from '../support/redis/redis-server.js';
import { epochOf, holder, releaseTo, requestBy } from '../support/redis/requests.js';

const A = holder('a');
const B = holder('b');
const C = holder('c');

describe('A failover and back', () => {
  let first: RedisServer;
  let second: RedisServer;

  beforeEach(async () => {
    [first, second] = await Promise.all([RedisServer.start(), RedisServer.start()]);
  });
  afterEach(async () => {
    await Promise.all([first.stop(), second.stop()]);
  });

  it.each(['auto', 'always'] as const)(
    'holds off and jumps the epoch on a server that was promoted again, with holdOff %s',
    async (holdOff) => {
      await follow(second, first);
      await withStore(first, async (store) => {
        const epoch = epochOf(await store.acquire(requestBy(A, { holdOff: 'never' })));
        await store.release(releaseTo(A, epoch));
        await first.admin.wait(1, 5_000);
      });

      await promote(second);
      await follow(first, second);
      await promote(first);
      // The first server heard nothing of this grant, of which its candidate may still hold the lease.
      const unheard = await withStore(second, async (store) =>
        epochOf(await store.acquire(requestBy(B, { holdOff: 'never' }))),
      );

      await withStore(first, async (store) => {
        expect(await store.acquire(requestBy(C, { holdOff }))).toMatchObject({
          granted: false,
          because: 'hold-off',
        });
        const later = epochOf(await store.acquire(requestBy(C, { holdOff: 'never', attempt: 2 })));
        expect(later).toBeGreaterThan(unheard);
      });
    },
    60_000,
  );

  it('holds off on a promoted server that has no record, however long it has been up', async () => {
    await Promise.all([first.untilUpFor(2), second.untilUpFor(2)]);
    const request = requestBy(A, { holdOff: 'auto', ttlMs: 500 });
    // On one that was never a replica the election is new, and leads at once.
    expect(await withStore(first, (store) => store.acquire(request))).toMatchObject({
      granted: true,
    });
    await follow(second, first);
    await promote(second);
    await second.admin.flushall();
    expect(await withStore(second, (store) => store.acquire(request))).toMatchObject({
      granted: false,
      because: 'hold-off',
    });
  }, 60_000);
});

function promote(server: RedisServer): Promise<string> {
  return server.admin.replicaof('NO', 'ONE');
}

async function follow(replica: RedisServer, primary: RedisServer): Promise<void> {
  await replica.admin.replicaof('127.0.0.1', primary.port);
  await awaitUntil(async () => (await replica.info('replication', 'master_link_status')) === 'up', {
    what: 'the replica follows',
    timeoutMs: 20_000,
  });
}

async function withStore<T>(
  server: RedisServer,
  use: (store: RedisLeaseStore) => Promise<T>,
): Promise<T> {
  const store = new RedisLeaseStore({ redis: server.url });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}
