import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { rm } from 'node:fs/promises';
import { LeaseStoreError } from '../../lib/election/election.errors.js';
import { toStoreError } from '../../lib/stores/redis/redis-errors.js';
import { RedisLeaseStore } from '../../lib/stores/redis/redis-lease-store.js';
import { awaitUntil } from '../support/await-until.js';
import { RedisServer } from '../support/redis/redis-server.js';
import { epochOf, holder, releaseTo, renewalOf, requestBy } from '../support/redis/requests.js';

const A = holder('a');
const B = holder('b');
const LEASE = 'leader-election:{jobs}:lease';

describe('A server that answers and cannot serve', () => {
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

  it('F-09: refuses all writes after a failed save (MISCONF), and the lease runs out', async () => {
    const epoch = epochOf(await store.acquire(requestBy(A, { ttlMs: 60_000 })));
    const endsAt = await redis.admin.pexpiretime(LEASE);
    await redis.admin.config('SET', 'save', '3600 1000');
    await rm(redis.directory, { recursive: true });
    await redis.admin.bgsave();
    await awaitUntil(
      async () => (await redis.info('persistence', 'rdb_last_bgsave_status')) === 'err',
      { what: 'saving has failed' },
    );

    await expectUnavailable(store.renew(renewalOf(A, epoch)), 'MISCONF');
    await expectUnavailable(store.release(releaseTo(A, epoch)), 'MISCONF');
    await expectUnavailable(store.acquire(requestBy(B, { election: 'other' })), 'MISCONF');
    // Whoever only reads is answered, and the lease runs out when it would have.
    expect(await store.acquire(requestBy(B))).toMatchObject({ granted: false, because: 'held' });
    expect(await redis.admin.pexpiretime(LEASE)).toBe(endsAt);
  });

  it('at maxmemory the leader keeps its lease and can release it, and nobody new leads', async () => {
    const epoch = epochOf(await store.acquire(requestBy(A, { ttlMs: 60_000 })));
    await redis.elapse(100);
    const before = await redis.admin.pexpiretime(LEASE);
    await redis.admin.config('SET', 'maxmemory', '1');

    expect(await store.renew(renewalOf(A, epoch, { ttlMs: 60_000 }))).toEqual({ renewed: true });
    expect(await redis.admin.pexpiretime(LEASE)).toBeGreaterThan(before);
    expect(await store.acquire(requestBy(B))).toMatchObject({ granted: false, because: 'held' });
    expect(await store.release(releaseTo(A, epoch))).toBe(true);

    const refused = store.acquire(requestBy(B));
    await expect(refused.then(({ granted }) => granted)).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.stringContaining('OOM'),
    });
    expect(await redis.admin.exists(LEASE)).toBe(0);
    await redis.admin.config('SET', 'maxmemory', '0');
    await awaitUntil(
      () => store.acquire(requestBy(B, { attempt: 2 })).then(({ granted }) => granted),
      { what: 'B leads once there is memory' },
    );
  });

  it('F-01: a server that became a replica refuses (READONLY), and serves again as a primary', async () => {
    const epoch = epochOf(await store.acquire(requestBy(A)));
    await redis.admin.config('SET', 'replica-serve-stale-data', 'yes');
    await redis.admin.replicaof('127.0.0.1', '1');
    await expectUnavailable(store.renew(renewalOf(A, epoch)), 'READONLY');

    await redis.admin.replicaof('NO', 'ONE');
    await awaitUntil(
      () =>
        store.renew(renewalOf(A, epoch)).then(
          ({ renewed }) => renewed,
          () => false,
        ),
      { what: 'the leader renews again' },
    );
  });

  it.each([
    [
      "ERR Error running script (call to f_1): @user_script:1: @user_script: 1: -READONLY You can't write against a read only replica.",
      'unavailable',
    ],
    [
      "ERR Error running script (call to f_1): @user_script:1: @user_script: 1: -OOM command not allowed when used memory > 'maxmemory'.",
      'unavailable',
    ],
    [
      "ERR Error running script (call to f_1): @user_script:1: @user_script: 1: The user executing the script can't run this command or subcommand",
      'misconfigured',
    ],
    [
      'ERR Error running script (call to f_1): @user_script:1: @user_script: 1: WRONGTYPE Operation against a key holding the wrong kind of value',
      'misconfigured',
    ],
    ['LOADING Redis is loading the dataset in memory', 'unavailable'],
    ['CLUSTERDOWN The cluster is down', 'unavailable'],
    ['connect ECONNREFUSED 127.0.0.1:6379', 'unreachable'],
    ['Connection is closed.', 'unreachable'],
    ['ERR something that nobody has heard of', 'unavailable'],
    ['read ECONNRESET', 'unreachable'],
  ])('knows what an error is, also as Redis 6.2 words it: %s', (message, kind) => {
    expect(toStoreError(new Error(message))).toMatchObject({ kind });
  });
});

async function expectUnavailable(call: Promise<unknown>, word: string): Promise<void> {
  const error = await call.then(
    () => null,
    (error: unknown) => error,
  );
  expect(error).toBeInstanceOf(LeaseStoreError);
  expect(error).toMatchObject({ kind: 'unavailable', message: expect.stringContaining(word) });
}
