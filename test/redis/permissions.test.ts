import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { LeaseStoreError } from '../../lib/election/election.errors.js';
import { RedisLeaseStore } from '../../lib/stores/redis/redis-lease-store.js';
import { awaitUntil } from '../support/await-until.js';
import { RedisServer } from '../support/redis/redis-server.js';
import { epochOf, holder, releaseTo, renewalOf, requestBy } from '../support/redis/requests.js';

/** What a Redis user needs at least; the README has the same list. */
const LEAST_ACL = {
  keys: ['~leader-election:*'],
  channels: ['&leader-election:*'],
  /** Without one of these nobody leads. */
  commands: '+evalsha +eval +get +hgetall +time +pttl +set +hset +hdel +pexpireat +del'.split(' '),
  /** Without one of these the election works, and is slower or less sure. */
  advised: ['+info', '+publish', '+subscribe'],
};
const ALL_RULES = Object.values(LEAST_ACL).flat();

const A = holder('a');
const B = holder('b');
const CHANNEL = 'leader-election:{jobs}:lease';

describe('A Redis user with few permissions', () => {
  let redis: RedisServer;
  const opened: RedisLeaseStore[] = [];

  beforeAll(async () => {
    redis = await RedisServer.start();
  });
  afterAll(() => redis.stop());
  beforeEach(() => redis.admin.flushall());
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((each) => each.close()));
  });

  const setUser = (...rules: string[]): Promise<unknown> =>
    redis.admin.call('ACL', 'SETUSER', 'app', 'reset', 'on', '>right', ...rules);

  function openAs(password = 'right'): RedisLeaseStore {
    const { port } = redis;
    const store = new RedisLeaseStore({ redis: { port, username: 'app', password } });
    opened.push(store);
    return store;
  }

  it('leads, is refused, renews, looks on, releases and is woken with LEAST_ACL', async () => {
    await setUser(...ALL_RULES);
    const store = openAs();
    let wakeUps = 0;
    store.watch('jobs', { freed: () => (wakeUps += 1), reconnected: () => undefined });
    await awaitUntil(() => wakeUps === 1, { what: 'it listens for releases' });

    await useAll(store);
    await awaitUntil(() => wakeUps === 2, { what: 'it was woken by a release' });
    expect(await redis.admin.call('ACL', 'LOG')).toEqual([]);
  });

  it.each(LEAST_ACL.commands)('needs %s, and is told when it lacks it', async (command) => {
    await setUser(...ALL_RULES.filter((rule) => rule !== command));
    await redis.admin.script('FLUSH');
    await expectMisconfigured(useAll(openAs()), /README/);
  });

  it.each([...LEAST_ACL.keys, '+@all'])('needs its keys', async (rule) => {
    const others = ALL_RULES.filter((each) => each !== rule && !each.startsWith('~'));
    await setUser(...others, '~somebody-else:*');
    await expectMisconfigured(useAll(openAs()), /README/);
  });

  it('F-12: works without INFO, and says what that costs', async () => {
    await setUser(...ALL_RULES.filter((rule) => rule !== '+info'));
    const store = openAs();
    const reply = await store.acquire(requestBy(A));

    expect(reply).toMatchObject({ granted: true });
    expect(reply.notice).toMatch(/ACL SETUSER <user> \+info/);
    // Told again to each candidate: the store does not know who was told.
    expect((await store.acquire(requestBy(B))).notice).toBe(reply.notice);
  });

  it('F-12: without INFO the first start waits for a full lease, and no longer', async () => {
    await setUser(...ALL_RULES.filter((rule) => rule !== '+info'));
    const store = openAs();
    const request = requestBy(A, { holdOff: 'auto', ttlMs: 200 });

    expect(await store.acquire(request)).toMatchObject({ granted: false, because: 'hold-off' });
    await redis.elapse(200);
    const epoch = epochOf(await store.acquire({ ...request, attempt: 2 }));
    await store.release(releaseTo(A, epoch));
    // The server that hides is taken for the same one from then on.
    expect(await store.acquire({ ...request, attempt: 3 })).toMatchObject({
      granted: true,
      epoch: epoch + 1,
    });
  });

  it.each(['+publish', '+subscribe', '&leader-election:*'])(
    'works without %s, only that nobody is woken',
    async (rule) => {
      await setUser(...ALL_RULES.filter((each) => each !== rule));
      const store = openAs();
      store.watch('jobs', { freed: () => undefined, reconnected: () => undefined });
      await useAll(store);
      expect(await redis.admin.exists(CHANNEL)).toBe(0);
    },
  );

  it('F-22: a wrong password is told with a remedy, and costs few connections', async () => {
    await setUser(...ALL_RULES);
    const store = openAs('wrong');
    const before = await connections();
    await expectMisconfigured(store.acquire(requestBy(A)), /password/);
    await redis.elapse(1_000);
    await expectMisconfigured(store.acquire(requestBy(A, { attempt: 2 })), /password/);
    expect((await connections()) - before).toBeLessThan(20);
  });

  it('F-22: leads without a restart once the password is put right', async () => {
    await setUser(...ALL_RULES);
    const store = openAs('corrected');
    await expectMisconfigured(store.acquire(requestBy(A)), /password/);
    await redis.admin.call('ACL', 'SETUSER', 'app', '>corrected');

    await awaitUntil(
      () =>
        store.acquire(requestBy(A, { attempt: 2 })).then(
          ({ granted }) => granted,
          () => false,
        ),
      { what: 'it leads' },
    );
  });

  it('C-09: a server that asks for a password which nobody gave is told with a remedy', async () => {
    await redis.admin.call('ACL', 'SETUSER', 'default', 'resetpass', '>secret');
    try {
      const store = new RedisLeaseStore({ redis: redis.url });
      opened.push(store);
      await expectMisconfigured(store.acquire(requestBy(A)), /password/);
    } finally {
      await redis.admin.call('ACL', 'SETUSER', 'default', 'nopass');
    }
  });

  it.each([
    ['the lease', 'leader-election:{jobs}:lease', (key: string) => redis.admin.hset(key, 'a', '1')],
    ['the record', 'leader-election:{jobs}:record', (key: string) => redis.admin.set(key, '1')],
  ])('C-09: a key of another type in place of %s is told with a remedy', async (_, key, put) => {
    await setUser(...ALL_RULES);
    await put(key);
    await expectMisconfigured(openAs().acquire(requestBy(A)), /keyPrefix/);
  });

  async function connections(): Promise<number> {
    return Number(await redis.info('stats', 'total_connections_received'));
  }
});

/** Every step that an election takes, each with its good end. */
async function useAll(store: RedisLeaseStore): Promise<void> {
  const held = { granted: false, because: 'held' };
  const epoch = epochOf(await store.acquire(requestBy(A)));
  expect(await store.acquire(requestBy(B))).toMatchObject(held);
  expect(await store.renew(renewalOf(A, epoch))).toEqual({ renewed: true });
  expect(await store.inspect({ election: 'jobs', timeoutMs: 2_000 })).toMatchObject({
    leader: { nodeId: 'node-a', epoch },
  });
  expect(await store.release(releaseTo(A, epoch))).toBe(true);
}

async function expectMisconfigured(call: Promise<unknown>, remedy: RegExp): Promise<void> {
  const error = await call.then(
    () => null,
    (error: unknown) => error,
  );
  expect(error).toBeInstanceOf(LeaseStoreError);
  expect(error).toMatchObject({ kind: 'misconfigured', message: expect.stringMatching(remedy) });
}
