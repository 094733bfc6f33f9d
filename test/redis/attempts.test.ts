/** What a request names besides its epoch: the attempt that was granted, whose epoch a quorum may have raised. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { RedisLeaseStore } from '../../lib/stores/redis/redis-lease-store.js';
import { awaitUntil } from '../support/await-until.js';
import { RedisServer } from '../support/redis/redis-server.js';
import { epochOf, holder, releaseTo, renewalOf, requestBy } from '../support/redis/requests.js';

const A = holder('a');
const B = holder('b');
const LEASE = 'leader-election:{jobs}:lease';
const RECORD = 'leader-election:{jobs}:record';

describe('The scripts know an attempt', () => {
  let redis: RedisServer;
  let store: RedisLeaseStore;

  beforeAll(async () => {
    redis = await RedisServer.start();
    store = new RedisLeaseStore({ redis: redis.url });
  });
  afterAll(async () => {
    await store.close();
    await redis.stop();
  });
  beforeEach(() => redis.admin.flushall());

  const granted = async (attempt: number): Promise<number> =>
    epochOf(await store.acquire(requestBy(A, { attempt, ttlMs: 60_000 })));

  it('release: by the epoch or the attempt, and by no other of this holder', async () => {
    const epoch = await granted(3);
    expect(await store.release(releaseTo(A, epoch + 1, { attempt: 2 }))).toBe(false);
    expect(await store.release(releaseTo(B, epoch, { attempt: 3 }))).toBe(false);
    expect(await store.release(releaseTo(A, 0, { attempt: 3 }))).toBe(true);
    expect(await store.release(releaseTo(A, await granted(4), { attempt: 9 }))).toBe(true);
  });

  it('release: wakes nobody for a try that never became a leadership', async () => {
    const heard: string[] = [];
    const listener = redis.admin.duplicate();
    await listener.subscribe(LEASE);
    listener.on('message', (_, message: string) => heard.push(message));
    await granted(1);
    await store.release(releaseTo(A, 0, { attempt: 1 }));
    await store.release(releaseTo(A, await granted(2), { attempt: 2 }));
    await awaitUntil(() => heard.length > 0, { what: 'the second release is heard' });
    expect(heard).toEqual(['released']);
    listener.disconnect();
  });

  it('raiseEpoch: by the attempt alone, and keeps the end of the lease', async () => {
    const epoch = await granted(3);
    const ends = await redis.admin.pexpiretime(LEASE);
    expect(await store.raiseEpoch(renewalOf(A, epoch, { attempt: 2 }))).toBe(false);
    expect(await store.raiseEpoch(renewalOf(B, epoch, { attempt: 3 }))).toBe(false);
    expect(await store.raiseEpoch(renewalOf(A, epoch + 5, { attempt: 3 }))).toBe(true);
    expect(await redis.admin.get(LEASE)).toBe(`${A.holder}|${epoch + 5}`);
    expect(await redis.admin.hget(RECORD, 'epoch')).toBe(String(epoch + 5));
    expect(await redis.admin.pexpiretime(LEASE)).toBe(ends);
    expect(epochOf(await store.acquire(requestBy(A, { attempt: 4 })))).toBe(epoch + 6);
  });

  it('raiseEpoch: forgets no higher epoch, and the lease is renewed with the raised one', async () => {
    const epoch = await granted(3);
    expect(await store.raiseEpoch(renewalOf(A, epoch - 5, { attempt: 3 }))).toBe(true);
    expect(await redis.admin.get(LEASE)).toBe(`${A.holder}|${epoch - 5}`);
    expect(await redis.admin.hget(RECORD, 'epoch')).toBe(String(epoch));
    const renewal = renewalOf(A, epoch - 5, { attempt: 3 });
    expect(await store.renew(renewal)).toEqual({ renewed: true });
  });

  it('raiseEpoch: writes no lease where there is none', async () => {
    await granted(3);
    await redis.admin.del(LEASE);
    expect(await store.raiseEpoch(renewalOf(A, 9e12, { attempt: 3 }))).toBe(false);
    expect(await redis.admin.exists(LEASE)).toBe(0);
  });
});
