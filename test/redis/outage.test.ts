import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Redis, type RedisOptions } from 'ioredis';
import { LeaseStoreError } from '../../lib/election/election.errors.js';
import {
  RedisLeaseStore,
  type RedisLeaseStoreOptions,
} from '../../lib/stores/redis/redis-lease-store.js';
import { awaitUntil } from '../support/await-until.js';
import { RedisServer } from '../support/redis/redis-server.js';
import { epochOf, holder, renewalOf, requestBy } from '../support/redis/requests.js';
import { TcpProxy } from '../support/redis/tcp-proxy.js';

const A = holder('a');
const B = holder('b');
/** Much longer than any timeout in a test; a call that never settles takes longer. */
const PROMPTLY_MS = 3_000;
const REPLY_DELAY_MS = 900;

type UserOptions = Pick<
  RedisOptions,
  | 'enableOfflineQueue'
  | 'commandTimeout'
  | 'maxRetriesPerRequest'
  | 'autoResendUnfulfilledCommands'
  | 'lazyConnect'
>;

describe('When Redis cannot be reached', () => {
  let redis: RedisServer;
  let proxy: TcpProxy;
  const opened: RedisLeaseStore[] = [];
  const clients: Redis[] = [];

  beforeEach(async () => {
    redis = await RedisServer.start();
    proxy = await TcpProxy.start(redis.port);
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((each) => each.close()));
    for (const client of clients.splice(0)) client.disconnect();
    await proxy.close();
    await redis.stop();
  });

  function open(source: RedisLeaseStoreOptions['redis'] = proxy.url): RedisLeaseStore {
    const store = new RedisLeaseStore({ redis: source });
    opened.push(store);
    return store;
  }

  /** A client of the user's with these options; what happens to it is no concern of ours. */
  function userClient(port: number, options: UserOptions): Redis {
    const client = new Redis({ ...options, port, disconnectTimeout: 20 });
    client.on('error', () => undefined);
    clients.push(client);
    return client;
  }

  it('F-03: what timed out while Redis was down does not run when it is back', async () => {
    await redis.kill();
    const user = userClient(redis.port, { enableOfflineQueue: true, commandTimeout: 50 });
    const store = open(user);
    const reconnected = reconnectionOf(store);
    for (let attempt = 1; attempt <= 10; attempt += 1) {
      await expectUnreachable(store.acquire(requestBy(A, { attempt, timeoutMs: 50 })));
    }
    await redis.launch();
    await reconnected;

    // The connection is up, and whatever was queued would have been sent before this is.
    await store.inspect({ election: 'other', timeoutMs: 2000 });
    expect(await scriptsRun(redis)).toBe(1);
    expect(await redis.admin.keys('*')).toEqual([]);
  });

  it('F-03: what was in flight when the server went away is not sent to the next one', async () => {
    const store = open(userClient(redis.port, { autoResendUnfulfilledCommands: true }));
    const epoch = epochOf(await store.acquire(requestBy(A)));
    const reconnected = reconnectionOf(store);
    redis.pause();
    const inFlight = expectUnreachable(store.renew(renewalOf(A, epoch)));
    await redis.restartEmpty();
    await inFlight;
    await reconnected;

    expect(await store.inspect({ election: 'jobs', timeoutMs: 2000 })).toMatchObject({
      leader: null,
      seenEpoch: 0,
    });
  });

  it('F-03: nothing runs after close()', async () => {
    await redis.kill();
    const store = open(redis.url);
    const calls = [1, 2, 3].map((attempt) =>
      expectUnreachable(store.acquire(requestBy(A, { attempt }))),
    );
    await store.close();
    await Promise.all(calls);
    await expectUnreachable(store.acquire(requestBy(A, { attempt: 4 })));
    await redis.launch();
    await redis.admin.ping();

    expect(await scriptsRun(redis)).toBe(0);
  });

  it('F-04: nothing piles up during an outage, whatever the user’s client would do', async () => {
    await redis.kill();
    const user = userClient(redis.port, { maxRetriesPerRequest: null });
    const store = open(user);
    const own = store['link'].client as Redis;
    await expectUnreachable(store.acquire(requestBy(A, { timeoutMs: 50 })));
    const listeners = (): number =>
      own.eventNames().reduce((sum, name) => sum + own.listenerCount(name), 0);
    // While it connects it listens for the outcome as well.
    await awaitUntil(() => own.status === 'reconnecting', { what: 'it waits to reconnect' });
    const before = listeners();
    for (let round = 0; round < 20; round += 1) {
      await Promise.all(
        Array.from({ length: 10 }, () =>
          expectUnreachable(store.acquire(requestBy(A, { timeoutMs: 20 }))),
        ),
      );
    }
    await awaitUntil(() => own.status === 'reconnecting', { what: 'it waits to reconnect' });

    expect(own['offlineQueue']).toHaveLength(0);
    expect(own['commandQueue']).toHaveLength(0);
    expect(user['offlineQueue']).toHaveLength(0);
    expect(listeners()).toBe(before);
    await redis.launch();
    await untilAnswered(store);
  });

  it('L-05: a connection that breaks in the midst of a call leaves nothing stuck', async () => {
    const user = userClient(proxy.port, { autoResendUnfulfilledCommands: false });
    const store = open(user);
    const epoch = epochOf(await store.acquire(requestBy(A)));
    const reconnected = reconnectionOf(store);
    proxy.silenceReplies();
    const inFlight = expectUnreachable(store.renew(renewalOf(A, epoch, { timeoutMs: 1_000 })));
    proxy.cut();
    await inFlight;
    proxy.heal();
    await reconnected;

    expect(await store.renew(renewalOf(A, epoch))).toEqual({ renewed: true });
  });

  it('L-01: a grant whose reply was lost costs one more try, not a ttl', async () => {
    const store = open();
    // The server knows the script from here on.
    await store.acquire(requestBy(A, { election: 'other' }));
    proxy.dropNextReply('holder-a');
    await expectUnreachable(store.acquire(requestBy(A, { attempt: 1, timeoutMs: 100 })));
    const lost = await redis.admin.get('leader-election:{jobs}:lease');
    await untilAnswered(store);

    const epoch = epochOf(await store.acquire(requestBy(A, { attempt: 2 })));
    expect(lost).toBe(`holder-a|${epoch - 1}`);
    expect(await store.acquire(requestBy(B))).toMatchObject({ granted: false, because: 'held' });
  });

  it('F-18: a silent connection that looks ready is dropped, and the next call succeeds', async () => {
    const store = open();
    const epoch = epochOf(await store.acquire(requestBy(A)));
    const { accepted } = proxy;
    proxy.silence();
    await expectUnreachable(store.renew(renewalOf(A, epoch, { timeoutMs: 100 })));
    await awaitUntil(() => proxy.accepted > accepted, { what: 'it connects anew' });
    proxy.heal();
    await untilAnswered(store);

    expect(await store.renew(renewalOf(A, epoch))).toEqual({ renewed: true });
  });

  it('F-18: a connection that answers late is kept', async () => {
    const store = open();
    const epoch = epochOf(await store.acquire(requestBy(A)));
    const { accepted } = proxy;
    proxy.delayReplies(REPLY_DELAY_MS);
    const patient = store.renew(renewalOf(A, epoch));
    await redis.elapse(REPLY_DELAY_MS / 3);
    // Too slow for this one, but something was answered while it waited.
    const timeoutMs = REPLY_DELAY_MS - REPLY_DELAY_MS / 6;
    await expectUnreachable(store.renew(renewalOf(A, epoch, { timeoutMs })));
    expect(await patient).toEqual({ renewed: true });
    proxy.heal();
    expect(await store.renew(renewalOf(A, epoch))).toEqual({ renewed: true });
    expect(proxy.accepted).toBe(accepted);
  });

  it('a try that has only a few milliseconds left does not cost all others the connection', async () => {
    const store = open();
    const epoch = epochOf(await store.acquire(requestBy(A)));
    await store.renew(renewalOf(A, epoch));
    const { accepted } = proxy;
    proxy.delayReplies(30);
    await expectUnreachable(store.renew(renewalOf(A, epoch, { timeoutMs: 5 })));
    expect(await store.renew(renewalOf(A, epoch))).toEqual({ renewed: true });
    expect(proxy.accepted).toBe(accepted);
  });

  it('gives up a server that accepts connections and never says hello', async () => {
    proxy.silence();
    const store = open();
    await expectUnreachable(store.acquire(requestBy(A, { timeoutMs: 100 })));
    await awaitUntil(() => proxy.accepted >= 2, { what: 'it tries another connection' });
    proxy.heal();
    await untilAnswered(store);
  });

  it('a stalled server costs a timeout, and nothing more once it goes on', async () => {
    const store = open(redis.url);
    const epoch = epochOf(await store.acquire(requestBy(A)));
    redis.pause();
    await expectUnreachable(store.renew(renewalOf(A, epoch, { timeoutMs: 100 })));
    await expectUnreachable(store.renew(renewalOf(A, epoch, { timeoutMs: 100 })));
    redis.resume();
    await untilAnswered(store);

    expect(await store.renew(renewalOf(A, epoch))).toEqual({ renewed: true });
  });

  it('F-28: a commandTimeout too short for a handshake does not keep ours from connecting', async () => {
    proxy.delayReplies(60);
    const user = userClient(proxy.port, { commandTimeout: 20, lazyConnect: true });
    const store = open(user);

    expect(await store.acquire(requestBy(A))).toMatchObject({ granted: true });
    expect(proxy.accepted).toBe(1);
  });

  it('waits for the first connection within the timeout, and reports no outage meanwhile', async () => {
    expect(await open().acquire(requestBy(A, { timeoutMs: 2_000 }))).toMatchObject({
      granted: true,
    });
  });

  it('F-14: tells at once, not after the timeout, that nothing listens there', async () => {
    await redis.kill();
    const startedAt = performance.now();
    await expectUnreachable(open(redis.url).acquire(requestBy(A, { timeoutMs: 20_000 })));
    expect(performance.now() - startedAt).toBeLessThan(PROMPTLY_MS);
  });
});

/** Rejects in time, with the kind that says so. */
async function expectUnreachable(call: Promise<unknown>): Promise<void> {
  const startedAt = performance.now();
  const error = await call.then(
    () => null,
    (error: unknown) => error,
  );
  expect(error).toBeInstanceOf(LeaseStoreError);
  expect(error).toMatchObject({ kind: 'unreachable' });
  expect(performance.now() - startedAt).toBeLessThan(PROMPTLY_MS);
}

/** Until a call gets an answer again. */
async function untilAnswered(store: RedisLeaseStore): Promise<void> {
  await awaitUntil(
    () =>
      store.inspect({ election: 'jobs', timeoutMs: 1000 }).then(
        () => true,
        () => false,
      ),
    { what: 'Redis answers again' },
  );
}

function reconnectionOf(store: RedisLeaseStore): Promise<void> {
  return new Promise((resolve) => {
    store.watch('watched', { freed: () => undefined, reconnected: resolve });
  });
}

/** How many scripts this server ran since it started; an unknown one counts when its text comes. */
async function scriptsRun(redis: RedisServer): Promise<number> {
  const counts = await Promise.all(
    ['eval', 'evalsha'].map(async (command) => {
      const line = await redis.info('commandstats', `cmdstat_${command}`);
      const count = (name: string): number =>
        Number(new RegExp(`${name}=(\\d+)`).exec(line ?? '')?.[1] ?? 0);
      return count('calls') - count('failed_calls');
    }),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}
