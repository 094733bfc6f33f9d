import { afterEach, describe, expect, it } from '@jest/globals';
import { LeaseStoreError } from '../../lib/election/election.errors.js';
import { RedisLeaseStore } from '../../lib/stores/redis/redis-lease-store.js';
import { awaitUntil } from '../support/await-until.js';
import {
  bulkArray,
  FakeRedis,
  scriptReply,
  type ScriptAnswer,
} from '../support/redis/fake-redis.js';
import { RedisServer } from '../support/redis/redis-server.js';
import { epochOf, holder, releaseTo, renewalOf, requestBy } from '../support/redis/requests.js';
import { TcpProxy } from '../support/redis/tcp-proxy.js';

const A = holder('a');
/** Where the tag stands in `EVALSHA sha 2 lease record tag …`. */
const TAG = 5;

describe('A reply that is not the answer', () => {
  const closing: (() => Promise<void>)[] = [];

  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });

  async function storeAnswered(answer: ScriptAnswer): Promise<RedisLeaseStore> {
    const fake = await FakeRedis.start(answer);
    closing.unshift(() => fake.close());
    const store = new RedisLeaseStore({ redis: fake.url });
    closing.unshift(() => store.close());
    return store;
  }

  it('is an answer when it is (or the rest of this file proves nothing)', async () => {
    const store = await storeAnswered((args) => scriptReply(args[TAG] ?? '', 'granted', '', '7'));
    expect(await store.acquire(requestBy(A))).toEqual({ granted: true, epoch: 7 });
  });

  it.each([
    ['another request’s tag', () => scriptReply('999', 'granted', '', '7')],
    ['an outcome it does not know', (tag) => scriptReply(tag, 'perhaps', '', '7')],
    ['no epoch', (tag) => scriptReply(tag, 'granted', '')],
    ['an empty epoch', (tag) => scriptReply(tag, 'granted', '', '')],
    ['an epoch that is no number', (tag) => scriptReply(tag, 'granted', '', 'x')],
    ['a cause it does not know', (tag) => scriptReply(tag, 'refused', '', 'mood', '1', '1', '')],
    ['only the tag', (tag) => scriptReply(tag)],
    ['an empty array', () => bulkArray()],
    ['an empty array in an array', () => scriptReply()],
    ['an array without the one around it', (tag) => bulkArray(tag, 'granted', '', '7')],
    ['a status', () => '+OK\r\n'],
    ['a number', () => ':1\r\n'],
    ['nothing', () => '$-1\r\n'],
    ['numbers in an array', () => '*2\r\n:1\r\n:1\r\n'],
  ] satisfies [string, (tag: string) => string][])(
    'F-25: is an error to acquire: %s',
    async (_, reply) => {
      const store = await storeAnswered((args) => reply(args[TAG] ?? ''));
      await expectKind(store.acquire(requestBy(A)), 'unavailable');
    },
  );

  it.each(['renew', 'release', 'inspect'] as const)(
    'F-25: is an error to %s, when it is another script’s yes',
    async (operation) => {
      const store = await storeAnswered((args) => scriptReply(args[TAG] ?? '', 'granted', '', '7'));
      const calls = {
        renew: () => store.renew(renewalOf(A, 7)),
        release: () => store.release(releaseTo(A, 7)),
        inspect: () => store.inspect({ election: 'jobs', timeoutMs: 2_000 }),
      };
      await expectKind(calls[operation](), 'unavailable');
    },
  );

  it('F-25: is an error when the replies of a connection are shifted by one', async () => {
    let previous = '';
    const store = await storeAnswered((args) => {
      const shifted = scriptReply(previous, 'granted', '', '7');
      previous = args[TAG] ?? '';
      return shifted;
    });
    for (const attempt of [1, 2, 3]) {
      const outcome = await store.acquire(requestBy(A, { attempt })).then(
        ({ granted }) => granted,
        () => 'an error',
      );
      // In between it may be connecting anew.
      expect(outcome).toBe('an error');
    }
  });

  it('F-25: makes it connect anew, so that one lost reply does not spoil all later ones', async () => {
    const redis = await RedisServer.start();
    closing.unshift(() => redis.stop());
    const proxy = await TcpProxy.start(redis.port);
    closing.unshift(() => proxy.close());
    const store = new RedisLeaseStore({ redis: proxy.url });
    closing.unshift(() => store.close());
    const epoch = epochOf(await store.acquire(requestBy(A)));
    await store.renew(renewalOf(A, epoch));

    proxy.dropNextReply('holder-a');
    const lost = store.renew(renewalOf(A, epoch, { timeoutMs: 2_000 }));
    await awaitUntil(async () => (await renewals(redis)) === 2, { what: 'the first is answered' });
    const shifted = store.renew(renewalOf(A, epoch, { timeoutMs: 2_000 }));
    await expectKind(lost, 'unavailable');
    await expectKind(shifted, 'unreachable');

    await awaitUntil(
      () =>
        store.renew(renewalOf(A, epoch)).then(
          ({ renewed }) => renewed,
          () => false,
        ),
      { what: 'renewals are answered again' },
    );
  });

  it('F-10: of a server that is loading is no outage for good', async () => {
    let loading = true;
    const store = await storeAnswered((args) =>
      loading
        ? '-LOADING Redis is loading the dataset in memory\r\n'
        : scriptReply(args[TAG] ?? '', 'granted', '', '7'),
    );
    await expectKind(store.acquire(requestBy(A)), 'unavailable');
    await expectKind(store.acquire(requestBy(A)), 'unavailable');
    loading = false;
    expect(await store.acquire(requestBy(A))).toMatchObject({ granted: true });
  });
});

async function expectKind(call: Promise<unknown>, kind: LeaseStoreError['kind']): Promise<void> {
  await expect(call).rejects.toBeInstanceOf(LeaseStoreError);
  await expect(call).rejects.toMatchObject({ kind });
}

/** How often a renewal took effect. */
async function renewals(redis: RedisServer): Promise<number> {
  const line = await redis.info('commandstats', 'cmdstat_pexpireat');
  return Number(/calls=(\d+)/.exec(line ?? '')?.[1] ?? 0);
}
