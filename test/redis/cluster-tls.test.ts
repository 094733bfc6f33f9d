/** A Cluster that serves TLS only, for a user with few permissions. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Cluster, type RedisOptions } from 'ioredis';
import { RedisLeaseStore } from '../../lib/stores/redis/redis-lease-store.js';
import { awaitUntil } from '../support/await-until.js';
import { CertificateAuthority } from '../support/redis/certificates.js';
import { RedisCluster } from '../support/redis/redis-cluster.js';
import { epochOf, holder, releaseTo, renewalOf, requestBy } from '../support/redis/requests.js';

const A = holder('a');
/** As in permissions.test.ts, and for a Cluster in addition: where is what, and what follows an ASK. */
const RULES = [
  '~leader-election:*',
  '&leader-election:*',
  ...'+evalsha +eval +get +hgetall +time +pttl +set +hset +hdel +pexpireat +del'.split(' '),
  ...'+info +publish +subscribe +cluster|slots +asking'.split(' '),
];

describe('A Cluster with TLS and a user of few permissions', () => {
  let trusted: CertificateAuthority;
  let cluster: RedisCluster;
  const users: Cluster[] = [];
  const stores: RedisLeaseStore[] = [];

  beforeAll(async () => {
    trusted = await CertificateAuthority.create();
    cluster = await RedisCluster.start({ tls: await trusted.issue() });
    await setUser('>right');
  }, 60_000);
  afterEach(async () => {
    await Promise.all(stores.splice(0).map((store) => store.close()));
    for (const user of users.splice(0)) user.disconnect();
  });
  afterAll(async () => {
    await cluster.stop();
    await trusted.remove();
  });

  async function setUser(password: string): Promise<void> {
    await Promise.all(
      cluster.nodes.map(({ server }) =>
        server.admin.call('ACL', 'SETUSER', 'app', 'reset', 'on', password, ...RULES),
      ),
    );
  }

  function open(over: Pick<RedisOptions, 'tls' | 'password'> = {}): RedisLeaseStore {
    const { tls = { ca: trusted.ca }, password = 'right' } = over;
    const user = new Cluster(cluster.startupNodes, {
      lazyConnect: true,
      redisOptions: { username: 'app', disconnectTimeout: 20, tls, password },
    });
    user.on('error', () => undefined);
    users.push(user);
    const store = new RedisLeaseStore({ redis: user });
    stores.push(store);
    return store;
  }

  it('F-23: runs every step, wakes watchers, and follows a slot on its way', async () => {
    const store = open();
    let wakeUps = 0;
    store.watch('jobs', { freed: () => (wakeUps += 1), reconnected: () => undefined });
    await awaitUntil(() => wakeUps > 0, { what: 'it listens for releases' });
    const before = wakeUps;
    const epoch = epochOf(await store.acquire(requestBy(A)));
    const move = await cluster.beginMove('leader-election:{jobs}:lease');
    await move.moveKeys();
    expect(await store.renew(renewalOf(A, epoch))).toEqual({ renewed: true });
    await move.finish();
    expect(await store.renew(renewalOf(A, epoch))).toEqual({ renewed: true });
    expect(await store.release(releaseTo(A, epoch))).toBe(true);
    await awaitUntil(() => wakeUps > before, { what: 'it was woken by the release' });
  });

  it('F-23: an unknown authority is told with a remedy', async () => {
    const other = await CertificateAuthority.create();
    await other.remove();
    await expectMisconfigured(open({ tls: { ca: other.ca } }), /`tls`/);
  });

  it('F-22: a wrong password is told with a remedy, and leads without a restart once it is right', async () => {
    const store = open({ password: 'corrected' });
    await expectMisconfigured(store, /password/);
    await setUser('>corrected');
    await awaitUntil(
      () =>
        store.acquire(requestBy(A)).then(
          ({ granted }) => granted,
          () => false,
        ),
      { what: 'it leads' },
    );
  });
});

async function expectMisconfigured(store: RedisLeaseStore, remedy: RegExp): Promise<void> {
  await expect(store.acquire(requestBy(A))).rejects.toMatchObject({
    kind: 'misconfigured',
    message: expect.stringMatching(remedy),
  });
}
