/** A Cluster of three primaries: each request finds the node that has the keys of its election. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Cluster } from 'ioredis';
import { electionKeys } from '../../lib/stores/redis/redis-keys.js';
import { RedisLeaseStore } from '../../lib/stores/redis/redis-lease-store.js';
import { awaitUntil } from '../support/await-until.js';
import { RedisCluster } from '../support/redis/redis-cluster.js';
import { epochOf, holder, releaseTo, renewalOf, requestBy } from '../support/redis/requests.js';

const A = holder('a');
const B = holder('b');
const PREFIX = 'leader-election';

describe('A Cluster of three primaries', () => {
  let cluster: RedisCluster;
  const users: Cluster[] = [];
  const stores: RedisLeaseStore[] = [];

  beforeAll(async () => {
    cluster = await RedisCluster.start();
  }, 60_000);
  afterEach(async () => {
    await Promise.all(stores.splice(0).map((store) => store.close()));
    for (const user of users.splice(0)) user.disconnect();
  });
  afterAll(() => cluster.stop());

  function open(keyPrefix = PREFIX, clientPrefix = ''): RedisLeaseStore {
    const user = new Cluster(cluster.startupNodes, {
      redisOptions: { keyPrefix: clientPrefix, disconnectTimeout: 20 },
    });
    users.push(user);
    const store = new RedisLeaseStore({ redis: user, keyPrefix });
    stores.push(store);
    return store;
  }

  /** One election for each primary, under names that differ in each test. */
  async function electionOnEachNode(word: string): Promise<string[]> {
    const found = new Map<string, string>();
    for (let n = 0; found.size < 3; n += 1) {
      const election = `${word}-${n}`;
      const { id } = await cluster.ownerOf(electionKeys(PREFIX, election).lease);
      if (!found.has(id)) found.set(id, election);
    }
    return [...found.values()];
  }

  it('runs every step of elections on all nodes over one client, and wakes their watchers', async () => {
    const elections = await electionOnEachNode('steps');
    const [store, other] = [open(), open()];
    const wakeUps = elections.map(() => 0);
    for (const [index, election] of elections.entries()) {
      const freed = (): unknown => (wakeUps[index] = (wakeUps[index] ?? 0) + 1);
      other.watch(election, { freed, reconnected: () => undefined });
    }
    await awaitUntil(() => wakeUps.every((count) => count > 0), { what: 'it listens' });
    const before = [...wakeUps];

    for (const election of elections) {
      const epoch = epochOf(await store.acquire(requestBy(A, { election })));
      expect(await other.acquire(requestBy(B, { election }))).toMatchObject({ because: 'held' });
      expect(await store.renew(renewalOf(A, epoch, { election }))).toEqual({ renewed: true });
      await flushScripts();
      expect(await store.renew(renewalOf(A, epoch, { election }))).toEqual({ renewed: true });
      const sight = await other.inspect({ election, timeoutMs: 5_000 });
      expect(sight.leader).toMatchObject({ nodeId: 'node-a', epoch });
      expect(await store.release(releaseTo(A, epoch, { election }))).toBe(true);
    }
    await awaitUntil(() => wakeUps.every((count, index) => count > (before[index] ?? 0)), {
      what: 'each watcher was woken by its release',
    });
  });

  it.each([
    ['{tag}', 'jobs', ''],
    ['prefix', '{tag}:jobs', ''],
    ['a{b', 'c}d', ''],
    ['prefix', 'jobs', '{app}:'],
    ['{a}', 'jobs', '{app}:'],
  ])(
    'F-19: keeps both keys of prefix "%s", name "%s" and client prefix "%s" on one node',
    async (keyPrefix, election, clientPrefix) => {
      const store = open(keyPrefix, clientPrefix);
      const epoch = epochOf(await store.acquire(requestBy(A, { election })));
      expect(await store.renew(renewalOf(A, epoch, { election }))).toEqual({ renewed: true });
      const { lease, record } = electionKeys(keyPrefix, election);
      const owner = await cluster.ownerOf(clientPrefix + lease);
      expect(await owner.server.admin.exists(clientPrefix + lease, clientPrefix + record)).toBe(2);
      expect(await store.release(releaseTo(A, epoch, { election }))).toBe(true);
    },
  );

  it('F-19: is told CROSSSLOT with a remedy where a client prefix parts the keys', async () => {
    await expect(open(PREFIX, '{}').acquire(requestBy(A))).rejects.toMatchObject({
      kind: 'misconfigured',
      message: expect.stringMatching(/keyPrefix/),
    });
  });

  it('follows a slot that was moved while it held the lease, without a failed renewal', async () => {
    const { store, election, lease, epoch } = await holdLease('moved');
    await cluster.moveSlot(lease);
    expect(await store.renew(renewalOf(A, epoch, { election }))).toEqual({ renewed: true });
    expect(await open().acquire(requestBy(B, { election }))).toMatchObject({ because: 'held' });
  });

  it('follows a slot that is on its way, and is told to try again while only half is there', async () => {
    const { store, election, lease, epoch } = await holdLease('asked');
    const renew = (): Promise<unknown> => store.renew(renewalOf(A, epoch, { election }));
    const move = await cluster.beginMove(lease);
    expect(await renew()).toEqual({ renewed: true });
    await move.moveKeys(lease);
    await expect(renew()).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.stringMatching(/TRYAGAIN.*being moved/),
    });
    await move.moveKeys();
    // The old owner has neither, and the script is not known to the new one.
    expect(await renew()).toEqual({ renewed: true });
    await move.finish();
    await cluster.untilServedBy(lease, move.to);
    expect(await renew()).toEqual({ renewed: true });
  });

  it('tells a client of one node that this is a Cluster', async () => {
    const { server } = await cluster.strangerTo(electionKeys(PREFIX, 'jobs').lease);
    const store = new RedisLeaseStore({ redis: server.url });
    stores.push(store);
    await expect(store.acquire(requestBy(A))).rejects.toMatchObject({
      kind: 'misconfigured',
      message: expect.stringMatching(/MOVED.*`Cluster`/),
    });
  });

  async function holdLease(word: string) {
    const [election = ''] = await electionOnEachNode(word);
    const store = open();
    const epoch = epochOf(await store.acquire(requestBy(A, { election, ttlMs: 60_000 })));
    return { store, election, epoch, lease: electionKeys(PREFIX, election).lease };
  }

  async function flushScripts(): Promise<void> {
    await Promise.all(cluster.nodes.map(({ server }) => server.admin.script('FLUSH')));
  }
});
