import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { CacheService } from '../../sample/02-cache-refresher/src/cache.service.js';
import { awaitUntil } from '../support/await-until.js';
import { freePort } from '../support/redis/free-port.js';
import { RedisServer } from '../support/redis/redis-server.js';
import { buildSample, type SampleBuild } from './sample-build.js';
import { SampleProcess } from './sample-process.js';

/** Long enough for three processes on a busy machine, and for telling a hand-over from a lease that runs out. */
const LEASE_TTL_MS = 4_000;
const REFRESH_INTERVAL_MS = 1_000;
const READ_INTERVAL_MS = 200;

interface Status {
  readonly node: string;
  readonly state: string;
  readonly isLeader: boolean;
  readonly epoch: number | null;
  readonly leader: { readonly nodeId: string; readonly epoch: number } | null;
  readonly cache: { readonly refreshedAt: string; readonly epoch: number; readonly node: string };
}

class Instance {
  private constructor(
    readonly node: string,
    readonly process: SampleProcess,
    private readonly port: number,
  ) {}

  static async start(node: string, entry: string, redisUrl: string): Promise<Instance> {
    const port = await freePort();
    const env = { NODE_ID: node, PORT: port, REDIS_URL: redisUrl };
    const times = { LEASE_TTL_MS, REFRESH_INTERVAL_MS, READ_INTERVAL_MS };
    const text = Object.entries({ ...env, ...times }).map(([name, value]) => [name, String(value)]);
    return new Instance(node, SampleProcess.start(entry, Object.fromEntries(text)), port);
  }

  get(path: string): Promise<Response> {
    return fetch(`http://localhost:${this.port}${path}`);
  }

  async status(): Promise<Status> {
    return (await (await this.get('/status')).json()) as Status;
  }
}

/** One story: three start, the leader is killed, the next one is told to stop. The tests build on each other. */
describe('the sample 02-cache-refresher, three processes on one Redis', () => {
  let redis: RedisServer;
  let build: SampleBuild;
  let instances: Instance[] = [];

  beforeAll(async () => {
    [redis, build] = await Promise.all([RedisServer.start(), buildSample('02-cache-refresher')]);
    const names = ['app-1', 'app-2', 'app-3'];
    instances = await Promise.all(
      names.map((name) => Instance.start(name, build.entry, redis.url)),
    );
    await Promise.all(instances.map(({ process }) => process.prints(/application successfully/)));
  }, 90_000);

  afterAll(async () => {
    await Promise.all(instances.map(({ process }) => process.end('SIGKILL')));
    await redis.stop();
    await build.remove();
  });

  const running = () => instances.filter(({ process }) => process.isRunning);

  /** Waits until one leads with this epoch or a later one, and all others know it. */
  async function untilLed(fromEpoch = 1): Promise<{ leader: Instance; epoch: number }> {
    let found: { leader: Instance; epoch: number } | null = null;
    const look = async () => {
      const statuses = await Promise.all(running().map((instance) => instance.status()));
      const leading = statuses.filter(({ isLeader }) => isLeader);
      const [{ node, epoch } = { node: '', epoch: null }] = leading;
      const leader = running().find((instance) => instance.node === node);
      const agreed = statuses.every((status) => status.leader?.epoch === epoch);
      if (leading.length !== 1 || leader === undefined || !agreed) return false;
      if (epoch === null || epoch < fromEpoch) return false;
      found = { leader, epoch };
      return true;
    };
    await awaitUntil(look, { timeoutMs: 20_000, what: `one leads from epoch ${fromEpoch}` });
    if (found === null) throw new Error('Defect: the wait ended without a leader.');
    return found;
  }

  async function untilRefreshedBy(epoch: number): Promise<void> {
    const refreshed = async () => (await redis.admin.hget('cache:refresh', 'epoch')) === `${epoch}`;
    await awaitUntil(refreshed, { what: `the cache is refreshed with epoch ${epoch}` });
  }

  it('has one leader, whom all of them name', async () => {
    const { leader, epoch } = await untilLed();

    const statuses = await Promise.all(instances.map((instance) => instance.status()));

    for (const status of statuses) {
      const leads = status.node === leader.node;
      expect(status).toMatchObject({
        state: leads ? 'leader' : 'follower',
        isLeader: leads,
        epoch: leads ? epoch : null,
        leader: { nodeId: leader.node, epoch },
      });
    }
  });

  it('answers 200 on /health everywhere, and on /health/leader only where it leads', async () => {
    const { leader } = await untilLed();

    for (const instance of instances) {
      expect((await instance.get('/health')).status).toBe(200);
      const response = await instance.get('/health/leader');
      if (instance === leader) {
        expect(response.status).toBe(200);
      } else {
        expect(response.status).toBe(503);
        expect(Number(response.headers.get('Retry-After'))).toBeGreaterThan(0);
        expect(await response.json()).toMatchObject({ leader: { nodeId: leader.node } });
      }
    }
  });

  it('writes the time, the epoch and the node to cache:refresh, again and again', async () => {
    const { leader, epoch } = await untilLed();
    await untilRefreshedBy(epoch);

    const first = await redis.admin.hgetall('cache:refresh');
    expect(first).toEqual({
      refreshedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      epoch: String(epoch),
      node: leader.node,
    });

    const refreshedAt = () => redis.admin.hget('cache:refresh', 'refreshedAt');
    const isNewer = async () => (await refreshedAt()) !== first.refreshedAt;
    await awaitUntil(isNewer, { what: 'the cache is refreshed once more' });
    const { cache } = await leader.status();
    expect(Date.parse(cache.refreshedAt)).toBeGreaterThan(Date.parse(first.refreshedAt ?? ''));
  });

  it('logs on every instance who refreshed the cache and when', async () => {
    const { leader, epoch } = await untilLed();
    const line = new RegExp(`refreshed by ${leader.node} \\(epoch ${epoch}\\) at \\d{4}-`);

    await Promise.all(instances.map(({ process }) => process.prints(line)));
  });

  it('goes on with another leader and a higher epoch after a kill, and refuses the old epoch', async () => {
    const old = await untilLed();

    await old.leader.process.end('SIGKILL');
    const young = await untilLed(old.epoch + 1);
    await untilRefreshedBy(young.epoch);

    const cache = new CacheService(redis.admin);
    const refreshedAt = new Date().toISOString();
    const late = { refreshedAt, epoch: old.epoch, node: old.leader.node };
    expect(await cache.write(late)).toBe(false);
    expect(await cache.read()).toMatchObject({ epoch: young.epoch, node: young.leader.node });
  });

  it('hands over sooner than a lease runs out when the leader gets SIGTERM, which exits with 0', async () => {
    const { leader, epoch } = await untilLed();

    const toldAt = performance.now();
    const end = leader.process.end('SIGTERM');
    const isLed = async () =>
      (
        await running()
          .find((one) => one !== leader)
          ?.status()
      )?.isLeader;
    await awaitUntil(async () => (await isLed()) === true, { what: 'the last one leads' });
    const tookMs = performance.now() - toldAt;

    expect(tookMs).toBeLessThan(LEASE_TTL_MS / 2);
    expect(await end).toEqual({ code: 0, signal: null });
    const last = await untilLed(epoch + 1);
    await untilRefreshedBy(last.epoch);
  });

  it('leaves nothing behind when the last one is told to stop', async () => {
    const [last] = running();

    expect(await last?.process.end('SIGTERM')).toEqual({ code: 0, signal: null });

    expect(running()).toEqual([]);
    expect(await redis.admin.keys('*lease*')).toEqual([]);
  });
});
