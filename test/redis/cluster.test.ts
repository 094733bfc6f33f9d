import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { Cluster } from 'ioredis';
import { electionKeys, makesEmptyHashTag } from '../../lib/stores/redis/redis-keys.js';
import { RedisLeaseStore } from '../../lib/stores/redis/redis-lease-store.js';
import { awaitUntil } from '../support/await-until.js';
import { freePort } from '../support/redis/free-port.js';
import { RedisServer } from '../support/redis/redis-server.js';
import { epochOf, holder, releaseTo, renewalOf, requestBy } from '../support/redis/requests.js';

const A = holder('a');
const B = holder('b');

/** One primary with all slots: it refuses keys of different slots as a large cluster does. */
describe('A Redis Cluster', () => {
  let redis: RedisServer;
  let user: Cluster;
  const opened: RedisLeaseStore[] = [];

  beforeAll(async () => {
    redis = await RedisServer.start({
      settings: {
        'cluster-enabled': 'yes',
        'cluster-port': String(await freePort()),
        'cluster-announce-ip': '127.0.0.1',
      },
    });
    await redis.admin.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
    await awaitUntil(async () => (await redis.admin.cluster('INFO')).includes('cluster_state:ok'), {
      what: 'the cluster is up',
    });
    user = new Cluster([{ port: redis.port, host: '127.0.0.1' }], {
      redisOptions: { keyPrefix: 'app:', disconnectTimeout: 20 },
    });
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((each) => each.close()));
  });
  afterAll(async () => {
    user.disconnect();
    await redis.stop();
  });

  it('runs every step, and wakes watchers', async () => {
    const store = open(user);
    let wakeUps = 0;
    store.watch('jobs', { freed: () => (wakeUps += 1), reconnected: () => undefined });
    await awaitUntil(() => wakeUps === 1, { what: 'it listens for releases' });

    const epoch = epochOf(await store.acquire(requestBy(A)));
    expect(await store.acquire(requestBy(B))).toMatchObject({ granted: false, because: 'held' });
    expect(await store.renew(renewalOf(A, epoch))).toEqual({ renewed: true });
    await redis.admin.script('FLUSH');
    expect(await store.renew(renewalOf(A, epoch))).toEqual({ renewed: true });
    expect(await store.inspect({ election: 'jobs', timeoutMs: 2_000 })).toMatchObject({
      leader: { nodeId: 'node-a', epoch },
    });
    expect(await store.release(releaseTo(A, epoch))).toBe(true);
    await awaitUntil(() => wakeUps === 2, { what: 'it was woken by the release' });
    await store.close();

    expect(user.status).toBe('ready');
    expect(await redis.admin.keys('*')).toEqual(['app:leader-election:{jobs}:record']);
  });

  it('is given up cleanly while nothing answers', async () => {
    const nowhere = new Cluster([{ port: await freePort(), host: '127.0.0.1' }], {
      lazyConnect: true,
    });
    const store = open(nowhere);
    await expect(store.acquire(requestBy(A, { timeoutMs: 500 }))).rejects.toMatchObject({
      kind: 'unreachable',
    });
    await store.close();
    nowhere.disconnect();
  });

  it.each([
    ['leader-election', 'jobs'],
    ['{tag}', 'jobs'],
    ['prefix', '{tag}:jobs'],
    ['a{b', 'c}d'],
    ['{a}{b}', '{c}'],
  ])('F-19: keeps both keys of prefix "%s" and name "%s" in one slot', async (prefix, name) => {
    const { lease, record } = electionKeys(prefix, name);
    expect(await slotOf(lease)).toBe(await slotOf(record));
    expect(await slotOf(`app:${lease}`)).toBe(await slotOf(`app:${record}`));
  });

  it('F-19: keeps both keys in one slot, whatever prefix and name are', async () => {
    const part = fc.stringMatching(/^[ab{}:]{1,8}$/);
    await fc.assert(
      fc.asyncProperty(part, part, async (prefix, name) => {
        fc.pre(!makesEmptyHashTag(prefix) && !makesEmptyHashTag(name));
        const { lease, record } = electionKeys(prefix, name);
        expect(await slotOf(lease)).toBe(await slotOf(record));
      }),
      { numRuns: 500 },
    );
  });

  it('F-19: keeps elections apart, whatever prefix and name are', () => {
    const one = electionKeys('leader-election', 'jobs');
    const other = electionKeys('leader-election', 'reports');
    expect(new Set([one.lease, one.record, other.lease, other.record]).size).toBe(4);
  });

  function open(source: Cluster): RedisLeaseStore {
    const store = new RedisLeaseStore({ redis: source });
    opened.push(store);
    return store;
  }

  async function slotOf(key: string): Promise<number> {
    return Number(await redis.admin.call('CLUSTER', 'KEYSLOT', key));
  }
});
