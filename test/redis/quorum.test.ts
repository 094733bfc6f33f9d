/** A quorum of three real servers, at the level of its store. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { QuorumLeaseStore } from '../../lib/stores/quorum/quorum-lease-store.js';
import { RedisLeaseStore } from '../../lib/stores/redis/redis-lease-store.js';
import { awaitUntil } from '../support/await-until.js';
import { RedisServer } from '../support/redis/redis-server.js';
import { epochOf, holder, releaseTo, renewalOf, requestBy } from '../support/redis/requests.js';
import { startAll, stopAll } from '../support/redis/start-all.js';

const A = holder('a');
const B = holder('b');
const TTL_MS = 60_000;
const LEASE = 'leader-election:{jobs}:lease';

const acquiring = (by = A, over = {}) => requestBy(by, { ttlMs: TTL_MS, ...over });

describe('Of three Redis servers', () => {
  let servers: readonly RedisServer[];
  const stores: QuorumLeaseStore[] = [];

  beforeEach(async () => {
    servers = await startAll(3, () => RedisServer.start());
  });
  afterEach(async () => {
    for (const server of servers) server.resume();
    await Promise.all(stores.splice(0).map((store) => store.close()));
    await stopAll(servers);
  });

  function openStore(): QuorumLeaseStore {
    const store = new QuorumLeaseStore(
      servers.map(({ url }) => new RedisLeaseStore({ redis: url })),
    );
    stores.push(store);
    return store;
  }
  const server = (index: number): RedisServer => {
    const found = servers[index];
    if (found === undefined) throw new Error(`There is no server ${index}.`);
    return found;
  };
  const leases = () => Promise.all(servers.map(({ admin }) => admin.get(LEASE)));

  /** Also on the one that is not waited for. */
  async function grantedEverywhere(store: QuorumLeaseStore): Promise<number> {
    const epoch = epochOf(await store.acquire(acquiring()));
    await awaitUntil(
      async () => (await leases()).every((lease) => lease === `${A.holder}|${epoch}`),
      { what: 'the third has the epoch as well' },
    );
    return epoch;
  }

  it('a grant is the same on all of them, and a release frees all of them', async () => {
    const store = openStore();
    const epoch = await grantedEverywhere(store);
    expect(await store.renew(renewalOf(A, epoch, { ttlMs: TTL_MS }))).toEqual({ renewed: true });
    expect(await store.release(releaseTo(A, epoch))).toBe(true);
    await awaitUntil(async () => (await leases()).every((lease) => lease === null), {
      what: 'all are free',
    });
  });

  it.each([
    ['killed', (index: number) => server(index).kill()],
    ['silent', async (index: number) => server(index).pause()],
  ])('one may be %s, and two may not', async (_, disable) => {
    const store = openStore();
    const epoch = await grantedEverywhere(store);
    const renewal = renewalOf(A, epoch, { ttlMs: TTL_MS, timeoutMs: 1_000 });
    await disable(0);
    for (let round = 0; round < 3; round += 1) {
      expect(await store.renew(renewal)).toEqual({ renewed: true });
    }
    expect(await openStore().acquire(acquiring(B, { timeoutMs: 1_000 }))).toMatchObject({
      granted: false,
      because: 'held',
      leader: { nodeId: A.nodeId, epoch },
    });
    await disable(1);
    await expect(store.renew(renewal)).rejects.toMatchObject({
      kind: 'unreachable',
      message: expect.stringMatching(
        /^2 of 3 servers gave no answer to renew, of which 2 must agree: /,
      ),
    });
  });

  it('gives one that was restarted empty its lease back, and makes others wait there', async () => {
    const store = openStore();
    const epoch = await grantedEverywhere(store);
    await server(2).restartEmpty();
    const renewal = renewalOf(A, epoch, { ttlMs: TTL_MS });
    await awaitUntil(
      async () => {
        expect(await store.renew(renewal)).toEqual({ renewed: true });
        return (await server(2).admin.get(LEASE)) === `${A.holder}|${epoch}`;
      },
      { what: 'the lease is there again' },
    );
    const record = await server(2).admin.hgetall('leader-election:{jobs}:record');
    expect(record).toMatchObject({ epoch: String(epoch), server: '' });
  });

  it('closes soon although one is silent and a try is being withdrawn there', async () => {
    const store = openStore();
    for (const index of [1, 2]) {
      const other = new RedisLeaseStore({ redis: server(index).url });
      epochOf(await other.acquire(acquiring(B)));
      await other.close();
    }
    await store.inspect({ election: 'jobs', timeoutMs: 5_000 });
    server(0).pause();
    expect(await store.acquire(acquiring(A, { timeoutMs: 120_000 }))).toMatchObject({
      granted: false,
    });
    const from = performance.now();
    await store.close();
    expect(performance.now() - from).toBeLessThan(3_000);
    await expect(store.inspect({ election: 'jobs', timeoutMs: 100 })).rejects.toMatchObject({
      kind: 'unreachable',
      message: expect.stringContaining('closed'),
    });
  });
});
