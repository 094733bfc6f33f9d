/** Redis behind Sentinels: the link finds the primary, and finds the next one after a failover. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { RedisLeaseStore } from '../../lib/stores/redis/redis-lease-store.js';
import type { RedisSource } from '../../lib/stores/redis/redis-client.js';
import { awaitUntil } from '../support/await-until.js';
import { useApps } from '../support/nest/apps.js';
import { untilState } from '../support/nest/leadership.js';
import { useElectorates } from '../support/redis/electorate.js';
import { epochOf, holder, renewalOf, requestBy } from '../support/redis/requests.js';
import { SentinelSet } from '../support/redis/sentinel-set.js';

const A = holder('a');
/** Less than a Sentinel is given to answer. */
const PROMPTLY_MS = 900;
const apps = useApps();
const newElectorate = useElectorates();

describe('Redis behind Sentinels', () => {
  let set: SentinelSet;
  const users: Redis[] = [];
  const stores: RedisLeaseStore[] = [];

  beforeAll(async () => {
    set = await SentinelSet.start();
  }, 60_000);
  afterEach(async () => {
    await Promise.all(stores.splice(0).map((store) => store.close()));
    for (const user of users.splice(0)) user.disconnect();
  });
  afterAll(() => set.stop());

  function userClient(options: { role?: 'master' | 'slave' } = {}): Redis {
    const user = new Redis({ ...set.client, ...options, lazyConnect: true, disconnectTimeout: 20 });
    user.on('error', () => undefined);
    users.push(user);
    return user;
  }

  function open(redis: RedisSource): RedisLeaseStore {
    const store = new RedisLeaseStore({ redis });
    stores.push(store);
    return store;
  }

  it.each([
    ['options with Sentinels', () => set.client],
    ['a client of the user’s', () => userClient()],
    ['a client of the user’s that reads from replicas', () => userClient({ role: 'slave' })],
  ])('reaches the primary by %s', async (_, source) => {
    const election = `by ${_}`;
    const store = open(source());
    const epoch = epochOf(await store.acquire(requestBy(A, { election })));
    expect(await store.renew(renewalOf(A, epoch, { election }))).toEqual({ renewed: true });
    const primary = await set.primary();
    expect(await primary.admin.keys(`*{${election}}:lease`)).toHaveLength(1);
  });

  it('leads an application, and keeps leading through a planned failover', async () => {
    const election = { name: 'planned', redis: set.client, holdOff: 'never' } as const;
    const { leader } = await apps.start({ election });
    const { epoch } = await untilState(leader, 'leader');
    await set.failover();
    await awaitUntil(() => leader.verify(), { what: 'the new primary confirms it' });
    expect(leader.epoch).toBe(epoch);
  });

  it.each(['kill', 'pause'] as const)(
    'elects anew on the next primary after a %s of the first, and never two',
    async (fault) => {
      await set.complete();
      const electorate = newElectorate(`after a ${fault}`);
      electorate.join('a', userClient());
      electorate.join('b', set.client);
      const epoch = electorate.epochOf(await electorate.untilLed());
      const before = await set.primary();
      await before[fault]();
      await electorate.untilNotLed();
      await set.primaryAfter(before);
      const next = await electorate.untilLed();
      expect(electorate.epochOf(next)).toBeGreaterThan(epoch);

      if (fault === 'kill') await before.launch();
      else before.resume();
      expect(await electorate.close()).toEqual([]);
    },
    60_000,
  );

  it('tells of Sentinels that are all down, and goes on when one is back', async () => {
    const electorate = newElectorate('blind');
    await Promise.all(set.sentinels.map((sentinel) => sentinel.kill()));
    const store = open(set.client);
    await expect(store.acquire(requestBy(A))).rejects.toMatchObject({
      kind: 'unreachable',
      message: expect.stringMatching(/sentinels are unreachable/i),
    });
    const member = electorate.join('a', userClient());
    await member.events.first('storeFailed');
    expect(electorate.leader).toBeNull();
    await Promise.all(set.sentinels.map((sentinel) => sentinel.launch()));
    await electorate.untilLed();
    expect(await electorate.close()).toEqual([]);
  }, 60_000);

  it('is not held up by a Sentinel that accepts connections and says nothing', async () => {
    const [first] = set.sentinels;
    first?.pause();
    try {
      const store = open(set.client);
      expect(await store.acquire(requestBy(A, { election: 'silent Sentinel' }))).toMatchObject({
        granted: true,
      });
    } finally {
      first?.resume();
    }
  });

  it('names the remedy where no Sentinel knows the primary’s name', async () => {
    const store = open({ ...set.client, name: 'another' });
    await expect(store.acquire(requestBy(A))).rejects.toMatchObject({
      kind: 'misconfigured',
      message: expect.stringMatching(/`name`/),
    });
  });

  it('closes at once while no Sentinel answers', async () => {
    const [sentinel] = set.sentinels;
    sentinel?.pause();
    try {
      const { host, port } = sentinel?.address ?? { host: '', port: 0 };
      const store = open({ name: set.client.name, sentinels: [{ host, port }] });
      const asked = store.acquire(requestBy(A)).catch(() => null);
      const startedAt = performance.now();
      await store.close();
      expect(await asked).toBeNull();
      expect(performance.now() - startedAt).toBeLessThan(PROMPTLY_MS);
    } finally {
      sentinel?.resume();
    }
  });
});
