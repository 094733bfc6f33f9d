/** A Cluster of three primaries whose nodes change places, fall silent and die under a leader. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Cluster, type ClusterOptions, type RedisOptions } from 'ioredis';
import { electionKeys } from '../../lib/stores/redis/redis-keys.js';
import { RedisLeaseStore } from '../../lib/stores/redis/redis-lease-store.js';
import { awaitUntil } from '../support/await-until.js';
import { useElectorates } from '../support/redis/electorate.js';
import { RedisCluster, type ClusterNode } from '../support/redis/redis-cluster.js';
import { epochOf, holder, renewalOf, requestBy } from '../support/redis/requests.js';

const newElectorate = useElectorates();

const A = holder('a');
/** Less than it takes a Cluster to put another node in place of a silent one. */
const SILENCE_MS = 1_000;

describe('A Cluster whose nodes fail', () => {
  let cluster: RedisCluster;
  const users: Cluster[] = [];
  const stores: RedisLeaseStore[] = [];

  beforeAll(async () => {
    cluster = await RedisCluster.start({ settings: { 'cluster-require-full-coverage': 'no' } });
  }, 60_000);
  afterEach(async () => {
    await Promise.all(stores.splice(0).map((store) => store.close()));
    for (const user of users.splice(0)) user.disconnect();
  });
  afterAll(() => cluster.stop());

  /** A client as users have it: with queues, and commands that are sent again. */
  function userClient(
    options: Omit<ClusterOptions, 'redisOptions'> = {},
    redisOptions: Pick<RedisOptions, 'maxRetriesPerRequest' | 'commandTimeout'> = {},
  ): Cluster {
    const user = new Cluster(cluster.startupNodes, {
      ...options,
      redisOptions: { ...redisOptions, disconnectTimeout: 20 },
    });
    user.on('error', () => undefined);
    users.push(user);
    return user;
  }

  it('keeps its leader through a planned failover', async () => {
    const electorate = newElectorate('planned');
    electorate.join('a', userClient());
    const leader = await electorate.untilLed();
    electorate.join('b', userClient());
    const epoch = electorate.epochOf(leader);
    const { lease } = electionKeys('leader-election', 'planned');
    await cluster.failover(lease);
    const renewals = leader.events.all('renewed').length;
    await awaitUntil(() => leader.events.all('renewed').length >= renewals + 3, {
      what: 'it is renewed on the new primary',
    });
    expect(electorate.epochOf(leader)).toBe(epoch);
    expect(await electorate.close()).toEqual([]);
  });

  it('elects anew, with a higher epoch, when a primary dies and its replica takes over', async () => {
    const electorate = newElectorate('killed');
    electorate.join('a', userClient());
    electorate.join('b', userClient());
    const epoch = electorate.epochOf(await electorate.untilLed());
    const { lease } = electionKeys('leader-election', 'killed');
    const owner = await cluster.ownerOf(lease);
    const replica = await cluster.replicaOf(owner);
    await owner.server.kill();
    await electorate.untilNotLed();
    await cluster.untilServedBy(lease, replica);
    const next = await electorate.untilLed();
    expect(electorate.epochOf(next)).toBeGreaterThan(epoch);
    const heldOff = electorate.members.flatMap(({ events }) => events.all('waiting'));
    expect(heldOff.map(({ because }) => because)).toContain('hold-off');
    expect(await electorate.close()).toEqual([]);
    await owner.server.launch();
    await cluster.replicaOf(replica);
  }, 60_000);

  it('leaves elections on other nodes alone while one node is silent', async () => {
    const here = 'silent';
    const silent = await cluster.ownerOf(leaseOf(here));
    const election = { election: await electionAwayFrom(silent) };
    const store = open(userClient());
    const epoch = epochOf(await store.acquire(requestBy(A, election)));
    await store.acquire(requestBy(A, { election: here }));
    silent.server.pause();
    try {
      const asked = askInVain(store, here);
      let renewals = 0;
      for (let over = false; !over; renewals += 1) {
        const renewal = renewalOf(A, epoch, { ...election, timeoutMs: 1_000 });
        expect(await store.renew(renewal)).toEqual({ renewed: true });
        over = await Promise.race([asked, nextTurn()]);
      }
      expect(renewals).toBeGreaterThan(10);
    } finally {
      silent.server.resume();
    }
    await awaitUntil(() => answers(store, here), { what: 'the silent node answers again' });
  });

  it('finds the replica that took over from a silent primary', async () => {
    const election = 'taken-over';
    const silent = await cluster.ownerOf(leaseOf(election));
    const replica = await cluster.replicaOf(silent);
    const store = open(userClient());
    await store.acquire(requestBy(A, { election }));
    silent.server.pause();
    try {
      await cluster.untilServedBy(leaseOf(election), replica);
      await awaitUntil(() => answers(store, election), {
        what: 'the new primary answers',
        timeoutMs: 10_000,
      });
    } finally {
      silent.server.resume();
    }
  }, 60_000);

  it('F-03: runs nothing later, whatever the user’s client queues and sends again', async () => {
    const election = 'stale';
    const owner = await cluster.ownerOf(leaseOf(election));
    const queueing = { enableOfflineQueue: true, enableAutoPipelining: true };
    const resending = { maxRetriesPerRequest: null, commandTimeout: 20 };
    const store = open(userClient({ ...queueing, retryDelayOnFailover: 10 }, resending));
    // In the same slot: the node knows the script from here on.
    await store.acquire(requestBy(A, { election: `{${election}}:first` }));
    owner.server.pause();
    try {
      for (let attempt = 1; attempt <= 4; attempt += 1) {
        const request = requestBy(A, { election, attempt, timeoutMs: 100 });
        await expect(store.acquire(request)).rejects.toMatchObject({ kind: 'unreachable' });
      }
    } finally {
      owner.server.resume();
    }
    await awaitUntil(() => answers(store, election), { what: 'the node answers again' });
    // The first was on the wire when the node fell silent; the others have never left.
    const { record } = electionKeys('leader-election', election);
    expect([null, '1']).toContain(await owner.server.admin.hget(record, 'attempt'));
  });

  function open(source: Cluster): RedisLeaseStore {
    const store = new RedisLeaseStore({ redis: source });
    stores.push(store);
    return store;
  }

  async function electionAwayFrom(node: ClusterNode): Promise<string> {
    for (let n = 0; ; n += 1) {
      const owner = await cluster.ownerOf(leaseOf(`away-${n}`));
      if (owner !== node) return `away-${n}`;
    }
  }
});

function leaseOf(election: string): string {
  return electionKeys('leader-election', election).lease;
}

async function answers(store: RedisLeaseStore, election: string): Promise<boolean> {
  return store.inspect({ election, timeoutMs: 500 }).then(
    () => true,
    () => false,
  );
}

/** Resolves with true when for a while no try got an answer. */
async function askInVain(store: RedisLeaseStore, election: string): Promise<boolean> {
  const until = performance.now() + SILENCE_MS;
  for (let attempt = 2; performance.now() < until; attempt += 1) {
    const request = requestBy(A, { election, attempt, timeoutMs: 100 });
    await expect(store.acquire(request)).rejects.toMatchObject({ kind: 'unreachable' });
    await nextTurn();
  }
  return true;
}

async function nextTurn(): Promise<boolean> {
  await new Promise((resolve) => setTimeout(resolve, 5));
  return false;
}
