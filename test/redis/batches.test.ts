/** What is asked in one turn of the event loop goes together, and each gets the answer that is its own. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { RedisLeaseStore } from '../../lib/stores/redis/redis-lease-store.js';
import { RedisServer } from '../support/redis/redis-server.js';
import { follow } from '../support/redis/replica-set.js';
import { epochOf, holder, releaseTo, renewalOf, requestBy } from '../support/redis/requests.js';
import { TcpProxy } from '../support/redis/tcp-proxy.js';

const A = holder('a');
const B = holder('b');
const MANY = Array.from({ length: 120 }, (_, index) => `election-${index}`);

describe('Requests of one turn', () => {
  let redis: RedisServer;
  let store: RedisLeaseStore;

  beforeEach(async () => {
    redis = await RedisServer.start();
    store = new RedisLeaseStore({ redis: redis.url });
  });
  afterEach(async () => {
    await store.close();
    await redis.stop();
  });

  const acquireAll = (elections: readonly string[], by = A) =>
    Promise.all(elections.map((election) => store.acquire(requestBy(by, { election }))));
  const renewAll = (elections: readonly string[], epochs: readonly number[]) =>
    Promise.all(
      elections.map((election, index) =>
        store.renew(renewalOf(A, epochs[index] ?? 0, { election })),
      ),
    );

  it('are a few commands, and each is answered by what is true of its election', async () => {
    await store.acquire(requestBy(B, { election: 'election-7' }));
    const replies = await acquireAll(MANY);
    expect(replies.flatMap((reply, index) => (reply.granted ? [] : [MANY[index]]))).toEqual([
      'election-7',
    ]);
    expect(replies[7]).toMatchObject({ because: 'held', leader: { nodeId: 'node-b' } });

    // So that the server knows the script.
    await renewAll(['another'], [1]);
    const before = await scriptsRun(redis);
    const epochs = replies.map((reply) => (reply.granted ? reply.epoch : 0));
    const renewed = await renewAll(MANY, epochs);
    expect((await scriptsRun(redis)) - before).toBe(3);
    expect(renewed.filter(({ renewed }) => !renewed)).toEqual([
      { renewed: false, because: 'taken', seenEpoch: expect.any(Number) },
    ]);
    const released = await Promise.all(
      MANY.map((election, index) => store.release(releaseTo(A, epochs[index] ?? 0, { election }))),
    );
    expect(released.filter((yes) => !yes)).toHaveLength(1);
  });

  it.each([0, 1, 2])(
    'fail alone: where the keys of number %d hold something else, the others are answered',
    async (bad) => {
      const elections = ['first', 'second', 'third'];
      await redis.admin.set(`leader-election:{${elections[bad]}}:record`, 'not a hash');
      const results = await Promise.allSettled(
        elections.map((election) => store.acquire(requestBy(A, { election }))),
      );
      const failed = results.flatMap(({ status }, index) => (status === 'rejected' ? [index] : []));
      expect(failed).toEqual([bad]);
      expect(results[bad]).toMatchObject({
        reason: { message: expect.stringMatching(/WRONGTYPE/) },
      });

      const good = elections.filter((_, index) => index !== bad);
      const epochs = results.flatMap((result) =>
        result.status === 'fulfilled' ? [epochOf(result.value)] : [],
      );
      expect(await renewAll(good, epochs)).toEqual([{ renewed: true }, { renewed: true }]);
      const released = await Promise.allSettled(
        elections.map((election) =>
          store.release(releaseTo(A, epochs[good.indexOf(election)] ?? 0, { election })),
        ),
      );
      expect(released.filter((_, index) => index !== bad)).toMatchObject(
        Array.from({ length: 2 }, () => ({ status: 'fulfilled', value: true })),
      );
    },
  );

  it('are each told why a replica refuses them, which ends the connection now and then', async () => {
    const primary = await RedisServer.start();
    try {
      await follow(redis, primary);
      const results = await Promise.allSettled(
        MANY.slice(0, 3).map((election) => store.acquire(requestBy(A, { election }))),
      );
      expect(results).toMatchObject(
        Array.from({ length: 3 }, () => ({
          status: 'rejected',
          reason: {
            kind: 'unavailable',
            message: expect.stringMatching(/READONLY.*address of the primary/s),
          },
        })),
      );
      // Half a second apart, however many are refused meanwhile.
      const before = await connectionsTo(redis);
      const until = performance.now() + 300;
      while (performance.now() < until) await store.acquire(requestBy(A)).catch(() => null);
      expect((await connectionsTo(redis)) - before).toBeLessThanOrEqual(2);
    } finally {
      await primary.stop();
    }
  });

  it('are each told at once why there is no connection', async () => {
    await redis.admin.config('SET', 'requirepass', 'secret');
    const stranger = new RedisLeaseStore({ redis: redis.url.replace('//', '//:wrong@') });
    try {
      const results = await Promise.allSettled(
        MANY.slice(0, 3).map((election) => stranger.acquire(requestBy(A, { election }))),
      );
      expect(results).toMatchObject(
        Array.from({ length: 3 }, () => ({
          status: 'rejected',
          reason: { message: expect.stringMatching(/WRONGPASS/) },
        })),
      );
    } finally {
      await stranger.close();
    }
  });

  it('are all granted where the server has forgotten the scripts', async () => {
    await acquireAll(['one']);
    await redis.admin.script('FLUSH');
    const replies = await acquireAll(MANY, holder('c'));
    expect(replies.every(({ granted }) => granted)).toBe(true);
  });

  it('rule 24: one that was given up is not sent with the others', async () => {
    const proxy = await TcpProxy.start(redis.port);
    const proxied = new RedisLeaseStore({ redis: proxy.url });
    try {
      // Both wait for the connection; only the second waits long enough.
      proxy.delayReplies(300);
      const early = proxied.acquire(requestBy(A, { election: 'early', timeoutMs: 100 }));
      const patient = proxied.acquire(requestBy(A, { election: 'patient' }));
      await expect(early).rejects.toMatchObject({ kind: 'unreachable' });
      expect(await patient).toMatchObject({ granted: true });
      expect(await redis.admin.keys('*early*')).toEqual([]);
    } finally {
      await proxied.close();
      await proxy.close();
    }
  });
});

/** How many scripts this server was asked to run. */
async function scriptsRun(redis: RedisServer): Promise<number> {
  const stats = await redis.admin.info('commandstats');
  return [...stats.matchAll(/cmdstat_eval(?:sha)?:calls=(\d+)/g)].reduce(
    (sum, [, calls]) => sum + Number(calls),
    0,
  );
}

async function connectionsTo(redis: RedisServer): Promise<number> {
  return Number(await redis.info('stats', 'total_connections_received'));
}
