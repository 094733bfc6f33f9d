import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { RedisLeaseStore } from '../../lib/stores/redis/redis-lease-store.js';
import { awaitUntil } from '../support/await-until.js';
import { RedisServer } from '../support/redis/redis-server.js';
import {
  epochOf,
  holder,
  releaseTo,
  renewalOf,
  requestBy,
  waitOf,
} from '../support/redis/requests.js';

const A = holder('a', { url: 'http://a' });
const B = holder('b');
const TTL_MS = 1_000;

describe('A server that restarts', () => {
  let redis: RedisServer;
  let store: RedisLeaseStore;
  /** Counts what watchers are told. */
  const told = { freed: 0, reconnected: 0 };

  beforeEach(async () => {
    redis = await RedisServer.start();
    store = new RedisLeaseStore({ redis: redis.url });
    Object.assign(told, { freed: 0, reconnected: 0 });
    store.watch('jobs', {
      freed: () => (told.freed += 1),
      reconnected: () => (told.reconnected += 1),
    });
    await awaitUntil(() => told.freed === 1, { what: 'it listens for releases' });
  });
  afterEach(async () => {
    await store.close();
    await redis.stop();
  });

  /** Restarts, and waits until the store is connected and listens again. */
  async function after(restart: () => Promise<void>): Promise<void> {
    const { freed, reconnected } = told;
    await restart();
    await awaitUntil(() => told.reconnected > reconnected && told.freed > freed, {
      what: 'the store is connected again',
    });
  }

  it('lets the leader go on, without data and with', async () => {
    const epoch = epochOf(await store.acquire(requestBy(A)));
    await after(() => redis.restart());
    expect(await store.renew(renewalOf(A, epoch))).toEqual({ renewed: true });

    await after(() => redis.restartEmpty());
    expect(await store.renew(renewalOf(A, epoch))).toEqual({ renewed: true });
    expect(await store.inspect({ election: 'jobs', timeoutMs: 2_000 })).toMatchObject({
      leader: { nodeId: 'node-a', epoch, metadata: { url: 'http://a' } },
      seenEpoch: epoch,
    });
  });

  it('S-13: with old data grants nothing for a ttl, and then an epoch far above', async () => {
    const epoch = epochOf(await store.acquire(requestBy(A, { ttlMs: TTL_MS })));
    await store.release(releaseTo(A, epoch));
    await after(() => redis.restart());
    const request = requestBy(B, { holdOff: 'auto', ttlMs: TTL_MS });

    const refused = await store.acquire(request);
    expect(refused).toMatchObject({ granted: false, because: 'hold-off', seenEpoch: epoch });
    expect(waitOf(refused)).toBeLessThanOrEqual(TTL_MS);
    await redis.elapse(TTL_MS);
    const next = epochOf(await store.acquire({ ...request, attempt: 2 }));
    expect(next).toBeGreaterThanOrEqual(epoch + TTL_MS);
  });

  it('S-13: without data waits, also for a candidate that has never seen an election', async () => {
    await store.acquire(requestBy(A));
    await after(() => redis.restartEmpty());

    const refused = await store.acquire(requestBy(B, { holdOff: 'auto', ttlMs: 10_000 }));
    expect(refused).toMatchObject({ granted: false, because: 'hold-off', seenEpoch: 0 });
    // Until the server has been up for a ttl, as far as whole seconds tell.
    expect(waitOf(refused)).toBeGreaterThan(0);
    expect(waitOf(refused)).toBeLessThanOrEqual(11_000);
  });

  it('S-13: a write-back keeps every other from leading until it was waited for', async () => {
    const epoch = epochOf(await store.acquire(requestBy(A, { ttlMs: TTL_MS })));
    await after(() => redis.restartEmpty());
    await store.renew(renewalOf(A, epoch, { ttlMs: TTL_MS }));
    await store.release(releaseTo(A, epoch));

    const request = requestBy(B, { holdOff: 'auto', ttlMs: TTL_MS });
    expect(await store.acquire(request)).toMatchObject({ granted: false, because: 'hold-off' });
    await redis.elapse(TTL_MS);
    expect(epochOf(await store.acquire({ ...request, attempt: 2 }))).toBeGreaterThan(epoch + 1);
  });

  it('F-16: wakes its watchers again after each of two restarts', async () => {
    for (const restart of ['once', 'twice']) {
      await after(() => redis.restartEmpty());
      const epoch = epochOf(await store.acquire(requestBy(A)));
      const { freed } = told;
      await store.release(releaseTo(A, epoch));
      await awaitUntil(() => told.freed === freed + 1, {
        what: `it was woken, restarted ${restart}`,
      });
    }
  });

  it('F-16: has one command and one subscriber connection, before and after', async () => {
    await store.acquire(requestBy(A));
    expect(await clientsOf(redis)).toBe(2);
    await after(() => redis.restart());
    await awaitUntil(async () => (await clientsOf(redis)) === 2, { what: 'two are connected' });
    await store.close();
    await awaitUntil(async () => (await clientsOf(redis)) === 0, { what: 'they are closed' });
  });

  it('stops telling a watcher that has gone', async () => {
    let late = 0;
    const stop = store.watch('jobs', { freed: () => (late += 1), reconnected: () => (late += 1) });
    stop();
    await after(() => redis.restart());
    expect(late).toBe(0);
  });
});

/** All but the one that asks. */
async function clientsOf(redis: RedisServer): Promise<number> {
  return (
    String(await redis.admin.client('LIST'))
      .trim()
      .split('\n').length - 1
  );
}
