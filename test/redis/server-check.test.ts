/** What is read of a server when it is connected to, and said once. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { Cluster } from 'ioredis';
import {
  checkHistory,
  type HistoryEvent,
  historyRecorder,
  LeaderElectionModule,
} from '../../lib/index.js';
import { RedisLeaseStore } from '../../lib/stores/redis/redis-lease-store.js';
import { warningsOf } from '../../lib/stores/redis/server-check.js';
import { awaitUntil } from '../support/await-until.js';
import { useApps } from '../support/nest/apps.js';
import { untilState } from '../support/nest/leadership.js';
import { RedisCluster } from '../support/redis/redis-cluster.js';
import { RedisServer, type RedisServerOptions } from '../support/redis/redis-server.js';

const EVICTING = { maxmemory: '4mb', 'maxmemory-policy': 'allkeys-lru' };
const POLICY_WARNING = /maxmemory-policy allkeys-lru.*Set maxmemory-policy to noeviction/;

const servers: { stop(): Promise<void> }[] = [];
const apps = useApps();
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

async function startServer(options?: RedisServerOptions): Promise<RedisServer> {
  const server = await RedisServer.start(options);
  servers.push(server);
  return server;
}

function policyWarnings(): string[] {
  return apps.logger.texts('warn').filter((text) => POLICY_WARNING.test(text));
}

/** What a watcher of the store is told within the time that a few requests take. */
async function noticesOf(store: RedisLeaseStore): Promise<string[]> {
  const notices: string[] = [];
  const watcher = { freed() {}, reconnected() {}, noticed: (text: string) => notices.push(text) };
  store.watch('jobs', watcher);
  for (let round = 0; round < 5; round += 1) {
    await store.inspect({ election: 'jobs', timeoutMs: 5_000 });
  }
  return notices;
}

async function noticesAt(url: string): Promise<string[]> {
  const store = new RedisLeaseStore({ redis: url });
  const notices = await noticesOf(store);
  await store.close();
  return notices;
}

describe('A server that may evict the lease', () => {
  it('is warned of once for an application, however many elections it has', async () => {
    const { url } = await startServer({ settings: EVICTING });
    const names = ['reports', 'invoices', 'mails'];
    const { leader } = await apps.start({
      election: { redis: url, holdOff: 'never' },
      imports: names.map((name) => LeaderElectionModule.forFeature(name)),
    });
    await untilState(leader, 'leader');
    await awaitUntil(() => policyWarnings().length > 0, { what: 'the warning' });
    expect(policyWarnings()).toHaveLength(1);
  });

  it('is not warned of again after a reconnection', async () => {
    const server = await startServer({ settings: EVICTING });
    const { leader, events } = await apps.start({
      election: { redis: server.url, holdOff: 'never', leaseTtlMs: 2_000 },
    });
    await untilState(leader, 'leader');
    await awaitUntil(() => policyWarnings().length > 0, { what: 'the warning' });
    await server.restart();
    await events.next('renewed');
    expect(policyWarnings()).toHaveLength(1);
  });

  it('S-23: evicts it, and exactly one leads within a lease and a retry', async () => {
    const server = await startServer({ settings: EVICTING });
    await server.untilUpFor(2);
    const leaseTtlMs = 1_500;
    const history: HistoryEvent[] = [];
    const nodes = await Promise.all(
      ['a', 'b'].map((nodeId) =>
        apps.start({
          election: {
            redis: server.url,
            nodeId,
            leaseTtlMs,
            events: historyRecorder(nodeId, (event) => history.push(event)),
          },
        }),
      ),
    );
    const leaders = () => nodes.filter(({ leader }) => leader.isLeader);
    await awaitUntil(() => leaders().length === 1, { what: 'one leads' });

    await fillUntilEvicted(server, 'leader-election:{default}:lease');
    await server.admin.config('SET', 'maxmemory', '0');
    await server.elapse(leaseTtlMs);
    await awaitUntil(() => leaders().length === 1, { what: 'one leads', timeoutMs: leaseTtlMs });
    await server.elapse(leaseTtlMs);
    expect(leaders()).toHaveLength(1);
    expect(checkHistory(history)).toEqual([]);
    // One for each application: they share a logger here.
    expect(policyWarnings()).toHaveLength(2);
  });

  it('is warned of in a Cluster as well', async () => {
    const nodes = await RedisCluster.start({ settings: { ...EVICTING, maxmemory: '100mb' } });
    servers.push(nodes);
    const cluster = new Cluster(nodes.startupNodes, { lazyConnect: true });
    const store = new RedisLeaseStore({ redis: cluster });
    const notices = await noticesOf(store);
    await awaitUntil(() => notices.length > 0, { what: 'the warning' });
    expect(notices).toEqual([expect.stringMatching(POLICY_WARNING)]);
    await store.close();
    cluster.disconnect();
  }, 60_000);
});

it('a replica in place of a primary is told', async () => {
  const server = await startServer();
  await server.admin.replicaof('127.0.0.1', '1');
  expect(await noticesAt(server.url)).toEqual([
    expect.stringMatching(
      /^This Redis is a replica, and nobody can lead through it: .*address of its primary, or the Sentinels/,
    ),
  ]);
});

it('a server that is as it should be, or hides what it is, is not spoken of', async () => {
  const server = await startServer({ settings: { maxmemory: '100mb' } });
  expect(await noticesAt(server.url)).toEqual([]);
  await server.admin.config('SET', 'maxmemory-policy', 'allkeys-lru');
  await server.admin.call('ACL', 'SETUSER', 'blind', 'on', '>x', '~*', '&*', '+@all', '-info');
  expect(await noticesAt(`redis://blind:x@127.0.0.1:${server.port}`)).toEqual([]);
});

it('whoever begins to watch later is told of what is known already', async () => {
  const { url } = await startServer({ settings: EVICTING });
  const store = new RedisLeaseStore({ redis: url });
  expect(await noticesOf(store)).toHaveLength(1);
  expect(await noticesOf(store)).toHaveLength(1);
  await store.close();
});

const info = (...lines: string[]): string => ['# Server', ...lines, ''].join('\r\n');

describe('The answer to INFO', () => {
  it.each([
    ['6.0.16', 1],
    ['5.0.14', 1],
    ['6.2.0', 0],
    ['6.2.14', 0],
    ['7.0.15', 0],
    ['8.2.1', 0],
    ['255.255.255', 0],
  ])('of Redis %s makes %i warnings', (version, count) => {
    const warnings = warningsOf(info(`redis_version:${version}`, 'role:master'));
    expect(warnings).toHaveLength(count);
    if (count > 0) expect(warnings[0]).toContain(`Redis ${version} is not supported: use 6.2`);
  });

  it('of Valkey makes none', () => {
    const lines = ['redis_version:7.2.4', 'server_name:valkey', 'valkey_version:8.0.1'];
    expect(warningsOf(info(...lines, 'maxmemory:0', 'maxmemory_policy:allkeys-lru'))).toEqual([]);
  });

  it.each([
    ['noeviction', '1000', 0],
    ['allkeys-lru', '0', 0],
    ['allkeys-lru', '1000', 1],
    ['volatile-ttl', '1000', 1],
  ])('with the policy %s and maxmemory %s makes %i', (policy, limit, count) => {
    const lines = [`maxmemory:${limit}`, `maxmemory_human:1K`, `maxmemory_policy:${policy}`];
    expect(warningsOf(info(...lines))).toHaveLength(count);
  });

  it('that has nothing in it makes none', () => {
    expect(warningsOf('')).toEqual([]);
    expect(warningsOf(info('redis_version:'))).toEqual([]);
  });
});

async function fillUntilEvicted({ admin }: RedisServer, key: string): Promise<void> {
  const value = 'x'.repeat(10_000);
  for (let round = 0; (await admin.exists(key)) === 1; round += 1) {
    if (round > 2_000) throw new Error('The lease is not evicted.');
    const batch = admin.pipeline();
    for (let index = 0; index < 50; index += 1) batch.set(`filler:${round}:${index}`, value);
    await batch.exec();
  }
}
