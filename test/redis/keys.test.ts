import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Redis, type RedisOptions } from 'ioredis';
import type { LeaseWatcher } from '../../lib/election/lease-store.interface.js';
import {
  RedisLeaseStore,
  type RedisLeaseStoreOptions,
} from '../../lib/stores/redis/redis-lease-store.js';
import { awaitUntil } from '../support/await-until.js';
import { RedisServer } from '../support/redis/redis-server.js';
import { epochOf, holder, releaseTo, renewalOf, requestBy } from '../support/redis/requests.js';

const A = holder('a');
const B = holder('b');
const LEASE = 'leader-election:{jobs}:lease';
const RECORD = 'leader-election:{jobs}:record';

type UserOptions = Pick<RedisOptions, 'keyPrefix' | 'commandTimeout' | 'maxRetriesPerRequest'>;

describe('What the store keeps in Redis', () => {
  let redis: RedisServer;
  let store: RedisLeaseStore;
  const opened: RedisLeaseStore[] = [];
  const clients: Redis[] = [];

  beforeAll(async () => {
    redis = await RedisServer.start();
  });
  afterAll(() => redis.stop());
  beforeEach(async () => {
    await redis.admin.flushall();
    store = open({ redis: redis.url });
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((each) => each.close()));
    for (const client of clients.splice(0)) client.disconnect();
  });

  function open(options: RedisLeaseStoreOptions): RedisLeaseStore {
    const store = new RedisLeaseStore(options);
    opened.push(store);
    return store;
  }

  function connect(options: UserOptions = {}): Redis {
    const client = new Redis({ ...options, port: redis.port });
    clients.push(client);
    return client;
  }

  function connectTo(url: string): Redis {
    const client = new Redis(url, { lazyConnect: true });
    clients.push(client);
    return client;
  }

  const keys = async (): Promise<Set<string>> => new Set(await redis.admin.keys('*'));

  /** Counts wake-ups, from when the server knows of the subscription and has confirmed it. */
  async function watching(
    watched: RedisLeaseStore,
    channel: string,
  ): Promise<{ readonly wakeUps: number }> {
    let wakeUps = 0;
    const watcher: LeaseWatcher = { freed: () => (wakeUps += 1), reconnected: () => undefined };
    watched.watch('jobs', watcher);
    // The first call says that it listens now.
    await awaitUntil(() => wakeUps > 0, { what: `${channel} is subscribed to` });
    expect(await redis.admin.pubsub('NUMSUB', channel)).toEqual([channel, 1]);
    return {
      get wakeUps() {
        return wakeUps - 1;
      },
    };
  }

  it('C-06: gives the lease the ttl in milliseconds that it was asked for', async () => {
    const ttlMs = 10_000;
    const epoch = epochOf(await store.acquire(requestBy(A, { ttlMs })));
    expectTtl(await redis.admin.pttl(LEASE), ttlMs);

    await store.renew(renewalOf(A, epoch, { ttlMs: 20_000 }));
    expectTtl(await redis.admin.pttl(LEASE), 20_000);
  });

  it('O-03: shows who leads and since when to whoever looks with redis-cli', async () => {
    const by = holder('a', { url: 'http://a' });
    const epoch = epochOf(await store.acquire(requestBy(by)));

    expect(await redis.admin.get(LEASE)).toBe(`holder-a|${epoch}`);
    const record = await redis.admin.hgetall(RECORD);
    expect(record).toMatchObject({ holder: 'holder-a', nodeId: 'node-a', epoch: String(epoch) });
    expect(record['metadata']).toBe('{"url":"http://a"}');
    expect(Math.abs(Number(record['since']) - Date.now())).toBeLessThan(60_000);
  });

  it('L-07: never takes a foreign lease without an end, and says what is wrong', async () => {
    await redis.admin.set(LEASE, 'another program');

    const reply = await store.acquire(requestBy(A));
    expect(reply).toMatchObject({ granted: false, because: 'held', waitMs: 10_000 });
    expect(reply.notice).toMatch(/no TTL.*delete the key/s);
    expect(await redis.admin.get(LEASE)).toBe('another program');
  });

  it('L-07: whoever only looks on is not told to look again at once', async () => {
    await redis.admin.set(LEASE, 'another program');
    const sight = await store.inspect({ election: 'jobs', timeoutMs: 2000 });

    expect(sight.waitMs).toBe(Infinity);
    expect(sight.notice).toMatch(/no TTL/);
  });

  it('holder and node ids may contain what separates the lease’s parts', async () => {
    const odd = { ...holder('a'), holder: 'a|7|{x} ü' };
    const epoch = epochOf(await store.acquire(requestBy(odd)));

    expect(await store.renew(renewalOf(odd, epoch))).toEqual({ renewed: true });
    expect(await store.release(releaseTo(odd, epoch))).toBe(true);
  });

  it('F-17: two prefixes are two worlds', async () => {
    const other = open({ redis: redis.url, keyPrefix: 'other' });
    const epoch = epochOf(await store.acquire(requestBy(A)));
    const otherEpoch = epochOf(await other.acquire(requestBy(B)));

    expect(await store.renew(renewalOf(A, epoch))).toEqual({ renewed: true });
    expect(await other.renew(renewalOf(B, otherEpoch))).toEqual({ renewed: true });
    expect(await keys()).toEqual(
      new Set([LEASE, RECORD, 'other:{jobs}:lease', 'other:{jobs}:record']),
    );
  });

  it('F-17: a release wakes the watchers of its own client prefix, and of no other', async () => {
    const one = open({ redis: connect({ keyPrefix: 'one:' }) });
    const two = open({ redis: connect({ keyPrefix: 'two:' }) });
    const heardByOne = await watching(one, `one:${LEASE}`);
    const heardByTwo = await watching(two, `two:${LEASE}`);

    const epoch = epochOf(await one.acquire(requestBy(A)));
    await one.release(releaseTo(A, epoch));
    await awaitUntil(() => heardByOne.wakeUps === 1, { what: 'the watcher was woken' });
    const otherEpoch = epochOf(await two.acquire(requestBy(A)));
    await two.release(releaseTo(A, otherEpoch));
    await awaitUntil(() => heardByTwo.wakeUps === 1, { what: 'the other watcher was woken' });
    expect(heardByOne.wakeUps).toBe(1);
  });

  it('F-21: an ioredis keyPrefix applies to every step once, and only the record stays', async () => {
    const prefixed = open({ redis: connect({ keyPrefix: 'app:' }) });
    const heard = await watching(prefixed, `app:${LEASE}`);

    const epoch = epochOf(await prefixed.acquire(requestBy(A)));
    expect(await keys()).toEqual(new Set([`app:${LEASE}`, `app:${RECORD}`]));
    expect(await prefixed.renew(renewalOf(A, epoch))).toEqual({ renewed: true });
    expect(await prefixed.inspect({ election: 'jobs', timeoutMs: 2000 })).toMatchObject({
      leader: { nodeId: 'node-a', epoch },
    });
    expect(await prefixed.release(releaseTo(A, epoch))).toBe(true);

    expect(await keys()).toEqual(new Set([`app:${RECORD}`]));
    await awaitUntil(() => heard.wakeUps === 1, { what: 'the watcher was woken' });
  });

  it('F-21: a database other than 0 is respected', async () => {
    const elsewhere = open({ redis: `${redis.url}/5` });
    await elsewhere.acquire(requestBy(A));
    expect(await keys()).toEqual(new Set([]));
    expect(await redis.info('keyspace', 'db5')).toContain('keys=2');
  });

  it('S-18: of two electors in one process on one shared client only one is granted', async () => {
    const user = connect();
    const stores = [open({ redis: user }), open({ redis: user })];
    const sameNode = ['one', 'two'].map((id) => ({ ...holder(id), nodeId: 'node' }));
    const replies = await Promise.all(
      stores.map((each, index) => each.acquire(requestBy(sameNode[index] ?? A))),
    );

    expect(replies.filter(({ granted }) => granted)).toHaveLength(1);
  });

  it('S-03: of sixty candidates at once exactly one is granted', async () => {
    const stores = [store, open({ redis: redis.url }), open({ redis: redis.url })];
    const replies = await Promise.all(
      stores.flatMap((each, index) =>
        Array.from({ length: 20 }, (_, n) => each.acquire(requestBy(holder(`${index}-${n}`)))),
      ),
    );

    const epochs = replies.flatMap((reply) => (reply.granted ? [reply.epoch] : []));
    expect(epochs).toHaveLength(1);
  });

  it.each([
    ['a URL', (loose: string) => `${redis.url}/3?${loose}&family=4`],
    ['a client', (loose: string) => connectTo(`${redis.url}/3?${loose}&family=4`)],
  ])('F-03: lets %s say where to connect, and not how to treat a lease', (_, source) => {
    const loose =
      'enableOfflineQueue=true&maxRetriesPerRequest=9&commandTimeout=1&autoResendUnfulfilledCommands=true';
    const { options } = open({ redis: source(loose) })['link'].client as Redis;

    expect(options).toMatchObject({
      db: 3,
      family: 4,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      autoResendUnfulfilledCommands: false,
    });
    expect(options.commandTimeout).toBeUndefined();
  });

  it('never closes the user’s own client, and changes none of its options', async () => {
    const user = connect({ keyPrefix: 'app:', commandTimeout: 1234, maxRetriesPerRequest: null });
    await user.ping();
    const before = { ...user.options };
    const own = open({ redis: user });
    own.watch('jobs', { freed: () => undefined, reconnected: () => undefined });
    const epoch = epochOf(await own.acquire(requestBy(A)));
    await own.release(releaseTo(A, epoch));
    await own.close();

    expect(user.options).toEqual(before);
    expect(user.status).toBe('ready');
    expect(await user.set('mine', '1')).toBe('OK');
    expect(user.mode).toBe('normal');
  });
});

/** As C-06 has it, with room for a slow machine. */
function expectTtl(leftMs: number, ttlMs: number): void {
  expect(leftMs).toBeGreaterThan(ttlMs - 1_000);
  expect(leftMs).toBeLessThanOrEqual(ttlMs);
}
