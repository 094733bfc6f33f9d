/** A grant or renewal that replicas must have before it counts (rule 17). */
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Cluster } from 'ioredis';
import { RedisLeaseStore } from '../../lib/stores/redis/redis-lease-store.js';
import type { RedisSource } from '../../lib/stores/redis/redis-client.js';
import { awaitUntil } from '../support/await-until.js';
import { scriptReply, FakeRedis } from '../support/redis/fake-redis.js';
import { RedisCluster } from '../support/redis/redis-cluster.js';
import { ReplicaSet } from '../support/redis/replica-set.js';
import { epochOf, holder, releaseTo, renewalOf, requestBy } from '../support/redis/requests.js';

const A = holder('a');
const B = holder('b');
/** For a call that is to fail: long enough to be answered on a busy machine. */
const PATIENCE_MS = 600;

const stores: RedisLeaseStore[] = [];
const openStore = (redis: RedisSource): RedisLeaseStore => {
  const store = new RedisLeaseStore({ redis });
  stores.push(store);
  return store;
};
afterEach(async () => {
  await Promise.all(stores.splice(0).map((store) => store.close()));
});

describe('With a primary and two replicas', () => {
  let set: ReplicaSet;
  let elections = 0;
  let election = '';

  beforeAll(async () => {
    set = await ReplicaSet.start({ replicas: 2 });
  });
  afterAll(() => set.stop());
  afterEach(async () => {
    set.healReplication();
    for (const replica of set.replicas) replica.resume();
    await awaitUntil(
      async () => (await set.primary.info('replication', 'connected_slaves')) === '2',
      { what: 'both replicas are back', timeoutMs: 20_000 },
    );
    await set.caughtUp();
  });

  const acquiring = (minReplicaAcks: number, over = {}) => {
    election = `election-${(elections += 1)}`;
    // So long that a lease which was not given back is still there when a test looks.
    return requestBy(A, { election, minReplicaAcks, ttlMs: 60_000, ...over });
  };
  const leaseOf = (name: string) => set.primary.admin.get(`leader-election:{${name}}:lease`);

  it.each([1, 2])('a grant and its renewals count when %i of them have it', async (acks) => {
    const store = openStore(set.primary.url);
    const epoch = epochOf(await store.acquire(acquiring(acks)));
    const renewal = renewalOf(A, epoch, { election, minReplicaAcks: acks });
    expect(await store.renew(renewal)).toEqual({ renewed: true });
    const key = `leader-election:{${election}}:lease`;
    const copies = await Promise.all(set.replicas.map(({ admin }) => admin.get(key)));
    expect(copies.filter((copy) => copy === `${A.holder}|${epoch}`).length).toBeGreaterThanOrEqual(
      acks,
    );
    expect(await store.release(releaseTo(A, epoch, { election }))).toBe(true);
  });

  it('a grant that too few of them have is none, and looks like nobody’s', async () => {
    const store = openStore(set.primary.url);
    await expect(store.acquire(acquiring(3, { timeoutMs: PATIENCE_MS }))).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.stringMatching(/^Only 2 of the 3 replicas .*`minReplicaAcks`\.$/),
    });
    await awaitUntil(async () => (await leaseOf(election)) === null, { what: 'it is given back' });
    expect(await store.acquire(requestBy(B, { election }))).toMatchObject({ granted: true });
  });

  it('a refusal needs nobody’s acknowledgement', async () => {
    const store = openStore(set.primary.url);
    epochOf(await store.acquire(acquiring(1)));
    const other = requestBy(B, { election, minReplicaAcks: 9, timeoutMs: PATIENCE_MS });
    expect(await store.acquire(other)).toMatchObject({ granted: false, because: 'held' });
  });

  it.each([
    ['are cut off', () => set.breakReplication()],
    ['are silent', () => set.replicas.forEach((replica) => replica.pause())],
  ])('a renewal fails while the replicas %s, and succeeds when they are back', async (_, begin) => {
    const store = openStore(set.primary.url);
    const epoch = epochOf(await store.acquire(acquiring(1)));
    const renewal = renewalOf(A, epoch, { election, minReplicaAcks: 1, ttlMs: 60_000 });
    begin();
    const failed = store.renew({ ...renewal, timeoutMs: PATIENCE_MS });
    await expect(failed).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.stringContaining('Only 0 of the 1 replicas'),
    });
    set.healReplication();
    for (const replica of set.replicas) replica.resume();
    await awaitUntil(
      () =>
        store.renew(renewal).then(
          ({ renewed }) => renewed,
          () => false,
        ),
      { what: 'it renews again', timeoutMs: 20_000 },
    );
  });

  it('F-06: recovers from a server that has forgotten the scripts', async () => {
    const store = openStore(set.primary.url);
    const epoch = epochOf(await store.acquire(acquiring(2)));
    for (let round = 0; round < 3; round += 1) {
      await set.primary.admin.script('FLUSH');
      const renewal = renewalOf(A, epoch, { election, minReplicaAcks: 2 });
      expect(await store.renew(renewal)).toEqual({ renewed: true });
    }
  });

  it('a connection that is lost between the grant and its acknowledgement grants nothing', async () => {
    const store = openStore(set.primary.url);
    set.breakReplication();
    const acquired = store.acquire(acquiring(1, { timeoutMs: 5_000 }));
    const outcome = acquired.catch((error: unknown) => error);
    await awaitUntil(async () => (await leaseOf(election)) !== null, { what: 'it is granted' });
    await set.primary.admin.call('CLIENT', 'KILL', 'TYPE', 'normal');
    expect(await outcome).toMatchObject({ kind: 'unreachable' });
  });

  it('a user that may not run WAIT is told what to do', async () => {
    const { admin } = set.primary;
    await admin.call('ACL', 'SETUSER', 'hasty', 'on', '>secret', '~*', '&*', '+@all', '-wait');
    const store = openStore(`redis://hasty:secret@127.0.0.1:${set.primary.port}`);
    await expect(store.acquire(acquiring(1))).rejects.toMatchObject({
      kind: 'misconfigured',
      message: expect.stringMatching(/wait.*Give this Redis user the commands/),
    });
    await awaitUntil(async () => (await leaseOf(election)) === null, { what: 'it is given back' });
  });

  it('replicas that are gone hold up nobody who does not ask for them', async () => {
    const store = openStore(set.primary.url);
    const plain = epochOf(await store.acquire(acquiring(0)));
    const renewal = renewalOf(A, plain, { election, timeoutMs: PATIENCE_MS });
    set.breakReplication();
    const waiting = Array.from({ length: 10 }, () =>
      store.acquire(acquiring(1, { timeoutMs: 2_000 })).catch((error: unknown) => error),
    );
    const from = performance.now();
    for (let round = 0; round < 20; round += 1) {
      expect(await store.renew(renewal)).toEqual({ renewed: true });
    }
    expect(performance.now() - from).toBeLessThan(1_000);
    // Nor do they hold up one another: each is told why.
    for (const outcome of await Promise.all(waiting)) {
      expect(outcome).toMatchObject({ kind: 'unavailable' });
    }
  });
});

it('whatever is no number of replicas is too few', async () => {
  const fake = await FakeRedis.start((args) => scriptReply(args[5] ?? '', 'granted', '', '7'));
  // It answers WAIT with OK.
  const granted = openStore(fake.url).acquire(requestBy(A, { minReplicaAcks: 1 }));
  await expect(granted).rejects.toMatchObject({ kind: 'unavailable' });
  await fake.close();
});

it('in a Cluster the replica of the node that has the lease acknowledges it', async () => {
  const servers = await RedisCluster.start();
  const cluster = new Cluster(servers.startupNodes, { lazyConnect: true });
  const store = openStore(cluster);
  const request = requestBy(A, { minReplicaAcks: 1 });
  const epoch = epochOf(await store.acquire(request));
  const renewal = renewalOf(A, epoch, { minReplicaAcks: 1 });
  expect(await store.renew(renewal)).toEqual({ renewed: true });

  const replica = await servers.replicaOf(await servers.ownerOf('leader-election:{jobs}:lease'));
  replica.server.pause();
  const failed = store.renew({ ...renewal, timeoutMs: PATIENCE_MS });
  await expect(failed).rejects.toMatchObject({ kind: 'unavailable' });
  replica.server.resume();
  expect(await store.renew(renewal)).toEqual({ renewed: true });
  await servers.moveSlot('leader-election:{jobs}:lease');
  expect(await store.renew(renewal)).toEqual({ renewed: true });
  await store.close();
  cluster.disconnect();
  await servers.stop();
}, 60_000);
