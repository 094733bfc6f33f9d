/** Where Redis refuses SELECT, ioredis goes on in database 0; an election in each would make two leaders. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { RedisLeaseStore } from '../../lib/stores/redis/redis-lease-store.js';
import { awaitUntil } from '../support/await-until.js';
import { RedisServer } from '../support/redis/redis-server.js';
import { epochOf, holder, renewalOf, requestBy } from '../support/redis/requests.js';

const A = holder('a');

describe('A database other than 0', () => {
  let redis: RedisServer;
  let store: RedisLeaseStore;

  beforeAll(async () => {
    redis = await RedisServer.start();
  });
  afterAll(() => redis.stop());
  beforeEach(async () => {
    await redis.admin.flushall();
    await allow('+@all');
  });
  afterEach(() => store.close());

  const allow = (...rules: string[]): Promise<unknown> =>
    redis.admin.call('ACL', 'SETUSER', 'app', 'reset', 'on', '>right', '~*', '&*', ...rules);

  function open(): RedisLeaseStore {
    return new RedisLeaseStore({ redis: `redis://app:right@127.0.0.1:${redis.port}/2` });
  }

  it('is not replaced by database 0 where the user may not select it', async () => {
    await allow('+@all', '-select');
    store = open();
    await expect(store.acquire(requestBy(A))).rejects.toMatchObject({
      kind: 'misconfigured',
      message: expect.stringMatching(/select/i),
    });
    expect(await redis.admin.dbsize()).toBe(0);

    await allow('+@all');
    await awaitUntil(
      () =>
        store.acquire(requestBy(A)).then(
          ({ granted }) => granted,
          () => false,
        ),
      { what: 'it leads without a restart', timeoutMs: 20_000 },
    );
    expect(await redis.admin.dbsize()).toBe(0);
  });

  it('is not replaced by database 0 on a connection that comes later', async () => {
    store = open();
    const epoch = epochOf(await store.acquire(requestBy(A)));
    await allow('+@all', '-select');
    await redis.admin.call('CLIENT', 'KILL', 'USER', 'app');
    await awaitUntil(
      () =>
        store.renew(renewalOf(A, epoch)).then(
          () => false,
          (error: Error) => /select/i.test(error.message),
        ),
      { what: 'renewals say why they fail', timeoutMs: 20_000 },
    );
    expect(await redis.admin.dbsize()).toBe(0);
  });
});
