import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { RedisLeaseStore } from '../../lib/stores/redis/redis-lease-store.js';
import { RedisServer } from '../support/redis/redis-server.js';
import { epochOf, holder, renewalOf, requestBy } from '../support/redis/requests.js';

const A = holder('a');
const STORM_MS = 2_000;

describe('A server that forgets scripts', () => {
  let redis: RedisServer;
  let store: RedisLeaseStore;

  beforeEach(async () => {
    redis = await RedisServer.start();
    store = new RedisLeaseStore({ redis: redis.url });
  });
  afterEach(async () => {
    await store.close();
    await redis.stop();
  });

  /** Forgets all scripts as fast as it can, while `ask` runs again and again. */
  async function storm(ask: () => Promise<void>): Promise<number> {
    let asked = 0;
    const storm = new AbortController();
    const flushing = (async () => {
      while (!storm.signal.aborted) await redis.admin.script('FLUSH');
    })();
    const endsAt = performance.now() + STORM_MS;
    while (performance.now() < endsAt) {
      await ask();
      asked += 1;
    }
    storm.abort();
    await flushing;
    return asked;
  }

  it('F-06: loses no renewal while scripts are flushed all the time', async () => {
    const epoch = epochOf(await store.acquire(requestBy(A)));
    const asked = await storm(async () => {
      expect(await store.renew(renewalOf(A, epoch))).toEqual({ renewed: true });
    });
    expect(asked).toBeGreaterThan(10);
    expect(await unknownScripts(redis)).toBeGreaterThan(0);
  });

  it('F-06: loses no renewal to a restart that forgets the scripts and keeps the data', async () => {
    const epoch = epochOf(await store.acquire(requestBy(A)));
    const reconnected = reconnectionOf(store);
    await redis.restart();
    await reconnected;

    expect(await store.renew(renewalOf(A, epoch))).toEqual({ renewed: true });
  });

  it('F-07: nor with a client of the user that pipelines automatically, busy in the same tick', async () => {
    const user = new Redis(redis.url, { enableAutoPipelining: true });
    const shared = new RedisLeaseStore({ redis: user });
    const epoch = epochOf(await shared.acquire(requestBy(A, { election: 'piped' })));
    try {
      const asked = await storm(async () => {
        const [, reply] = await Promise.all([
          user.set('unrelated', '1'),
          shared.renew(renewalOf(A, epoch, { election: 'piped' })),
          user.get('unrelated'),
        ]);
        expect(reply).toEqual({ renewed: true });
      });
      expect(asked).toBeGreaterThan(10);
    } finally {
      await shared.close();
      user.disconnect();
    }
  });

  it('sends a script by its hash, and its text only when the server does not know it', async () => {
    await redis.admin.script('FLUSH');
    await redis.admin.config('RESETSTAT');
    await store.acquire(requestBy(A));
    for (const attempt of [2, 3, 4]) await store.acquire(requestBy(A, { attempt }));

    expect(await callsOf(redis, 'evalsha')).toBe(4);
    expect(await callsOf(redis, 'eval')).toBe(1);
  });
});

function reconnectionOf(store: RedisLeaseStore): Promise<void> {
  return new Promise((resolve) => {
    store.watch('any', { freed: () => undefined, reconnected: resolve });
  });
}

async function callsOf(redis: RedisServer, command: string): Promise<number> {
  const line = await redis.info('commandstats', `cmdstat_${command}`);
  return Number(/calls=(\d+)/.exec(line ?? '')?.[1] ?? 0);
}

async function unknownScripts(redis: RedisServer): Promise<number> {
  const line = await redis.info('errorstats', 'errorstat_NOSCRIPT');
  return Number(/count=(\d+)/.exec(line ?? '')?.[1] ?? 0);
}
