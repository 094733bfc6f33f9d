/** A primary and its replica: what a failover does to a leader, with and without what was granted last. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { RedisLeaseStore } from '../../lib/stores/redis/redis-lease-store.js';
import { awaitUntil } from '../support/await-until.js';
import { useElectorates } from '../support/redis/electorate.js';
import { RedisServer } from '../support/redis/redis-server.js';
import { follow, promote, ReplicaSet } from '../support/redis/replica-set.js';
import { epochOf, holder, releaseTo, requestBy } from '../support/redis/requests.js';
import { TcpProxy } from '../support/redis/tcp-proxy.js';

const newElectorate = useElectorates();

const BEFORE = holder('before');

describe('A failover to a replica', () => {
  let set: ReplicaSet;
  const networks: TcpProxy[] = [];

  beforeEach(async () => {
    set = await ReplicaSet.start();
  }, 60_000);
  afterEach(async () => {
    await Promise.all(networks.splice(0).map((network) => network.close()));
    await set.stop();
  });

  async function networkTo(server: RedisServer): Promise<TcpProxy> {
    const network = await TcpProxy.start(server.port);
    networks.push(network);
    return network;
  }

  it.each(['auto', 'always'] as const)(
    'S-13: grants nobody what a lost grant still holds, and repeats no epoch, with holdOff %s',
    async (holdOff) => {
      await ledOnce(set.primary, 'jobs');
      await set.caughtUp();
      set.breakReplication();
      const electorate = newElectorate('jobs');
      const toPrimary = await networkTo(set.primary);
      electorate.join('a', toPrimary.url, { holdOff });
      const epoch = electorate.epochOf(await electorate.untilLed());
      // The replica knows of the election, and not of this grant.
      expect(await recordedEpoch(set.replica(), 'jobs')).toBeLessThan(epoch);

      // At once, while the lost lease has almost all of its time left.
      toPrimary.cut();
      await promote(set.replica());
      const b = electorate.join('b', set.replica().url, { holdOff });
      expect(await b.events.first('waiting')).toMatchObject({ because: 'hold-off' });
      await awaitUntil(() => electorate.leader === b, { what: 'b leads', timeoutMs: 20_000 });
      expect(electorate.epochOf(b)).toBeGreaterThan(epoch);
      expect(await electorate.close()).toEqual([]);
    },
    60_000,
  );

  it('S-13: with acknowledgements, a primary without its replica has no leader', async () => {
    const electorate = newElectorate('jobs');
    electorate.join('a', set.primary.url, { minReplicaAcks: 1, holdOff: 'never' });
    await electorate.untilLed();
    set.breakReplication();
    await electorate.untilNotLed();
    expect(await electorate.close()).toEqual([]);
  });

  it('F-01: leaves a primary that has become a replica, and leads on the next one without a restart', async () => {
    const [first, second] = [set.primary, set.replica()];
    const electorate = newElectorate('jobs');
    // One address that leads to whatever is the primary, as of a managed Redis.
    const address = await networkTo(first);
    electorate.join('a', address.url, { holdOff: 'never' });
    const leader = await electorate.untilLed();
    const epoch = electorate.epochOf(leader);
    await set.caughtUp();
    await promote(second);
    await follow(first, second);
    const { error } = await leader.events.first('storeFailed');
    expect(error).toMatchObject({
      kind: 'unavailable',
      message: expect.stringMatching(/READONLY.*replica/),
    });
    await electorate.untilNotLed();

    address.leadTo(second.port);
    await electorate.untilLed();
    expect(electorate.epochOf(leader)).toBeGreaterThan(epoch);
    expect(await electorate.close()).toEqual([]);
  }, 60_000);

  it('F-01: keeps its leadership where its address leads to the next primary in time', async () => {
    const [first, second] = [set.primary, set.replica()];
    const electorate = newElectorate('jobs');
    const address = await networkTo(first);
    const long = { holdOff: 'never', leaseTtlMs: 10_000, renewIntervalMs: 300 } as const;
    electorate.join('a', address.url, long);
    const leader = await electorate.untilLed();
    const epoch = electorate.epochOf(leader);
    await set.caughtUp();
    await promote(second);
    address.leadTo(second.port);
    await first.admin.replicaof('127.0.0.1', second.port);
    const renewals = leader.events.all('renewed').length;
    await awaitUntil(() => leader.events.all('renewed').length > renewals + 2, {
      what: 'it is renewed there',
    });
    expect(electorate.epochOf(leader)).toBe(epoch);
    expect(await second.admin.pttl('leader-election:{jobs}:lease')).toBeGreaterThan(0);
    expect(await electorate.close()).toEqual([]);
  }, 60_000);
});

/** The election has had a leader, whose record every server knows. */
async function ledOnce(server: RedisServer, election: string): Promise<void> {
  const store = new RedisLeaseStore({ redis: server.url });
  const epoch = epochOf(await store.acquire(requestBy(BEFORE, { election, ttlMs: 1_000 })));
  await store.release(releaseTo(BEFORE, epoch, { election }));
  await store.close();
}

async function recordedEpoch(server: RedisServer, election: string): Promise<number> {
  return Number(await server.admin.hget(`leader-election:{${election}}:record`, 'epoch'));
}
