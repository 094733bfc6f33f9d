/** Applications that elect over three independent Redis servers. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { checkHistory, historyRecorder, type HistoryEvent, recordBelief } from '../../lib/index.js';
import { awaitUntil } from '../support/await-until.js';
import { type StartedApp, useApps } from '../support/nest/apps.js';
import { untilState } from '../support/nest/leadership.js';
import { RedisServer } from '../support/redis/redis-server.js';
import { startAll, stopAll } from '../support/redis/start-all.js';

const TTL_MS = 2_500;
const LEASE = 'leader-election:{default}:lease';
const LIMIT_MS = 60_000;

const apps = useApps();
let servers: readonly RedisServer[];
let history: HistoryEvent[];

beforeEach(async () => {
  history = [];
  servers = await startAll(3, () => RedisServer.start());
});
// Registered after that of `useApps`, and so run before it: whatever was silent must let the applications close.
afterEach(() => {
  for (const server of servers) server.resume();
});
afterEach(async () => {
  await stopAll(servers);
  expect(checkHistory(history)).toEqual([]);
});

async function join(nodeId: string): Promise<StartedApp> {
  const redis = servers.map(({ url }) => url);
  const started = await apps.create({
    election: {
      redis,
      nodeId,
      leaseTtlMs: TTL_MS,
      holdOff: 'never',
      events: historyRecorder(nodeId, record),
    },
  });
  recordBelief(nodeId, started.leader, record);
  await started.app.init();
  return started;
}

function record(event: HistoryEvent): void {
  history.push(event);
}

describe('Two applications on three servers', () => {
  let first: StartedApp;
  let second: StartedApp;

  beforeEach(async () => {
    first = await join('first');
    await untilState(first.leader, 'leader');
    second = await join('second');
    await untilState(second.leader, 'follower');
  }, LIMIT_MS);

  it(
    'hand over at once when the leader is closed, with a higher epoch',
    async () => {
      const { epoch } = first.leader;
      expect(second.leader.leader).toMatchObject({ nodeId: 'first', epoch });
      const led = untilState(second.leader, 'leader');
      const from = performance.now();
      await first.app.close();
      expect((await led).epoch).toBeGreaterThan(epoch ?? Infinity);
      expect(performance.now() - from).toBeLessThan(TTL_MS / 2);
    },
    LIMIT_MS,
  );

  it.each([
    ['is killed', (server: RedisServer) => server.kill(), (server: RedisServer) => server.launch()],
    [
      'is silent',
      async (server: RedisServer) => server.pause(),
      async (server: RedisServer) => server.resume(),
    ],
    ['is restarted empty', (server: RedisServer) => server.restartEmpty(), async () => undefined],
  ])(
    'keep their leader while one server %s, and hand over meanwhile',
    async (_, disable, enable) => {
      const { epoch } = first.leader;
      const [one, other, third] = servers as [RedisServer, RedisServer, RedisServer];
      await disable(one);
      // Longer than a lease lasts without renewals.
      await other.elapse(TTL_MS + 100);
      expect(first.leader.epoch).toBe(epoch);
      await enable(one);
      await awaitUntil(async () => (await one.admin.get(LEASE)) !== null, {
        what: 'it has the lease again',
      });
      // Now one of those that were enough so far.
      await disable(third);
      await first.app.close();
      await untilState(second.leader, 'leader');
    },
    LIMIT_MS,
  );

  it(
    'close in bounded time while a server is silent',
    async () => {
      servers[1]?.pause();
      for (const { app } of [second, first]) {
        const from = performance.now();
        await app.close();
        expect(performance.now() - from).toBeLessThan(3_000);
      }
    },
    LIMIT_MS,
  );

  it(
    'lead nothing while two servers are down, and again when one is back',
    async () => {
      const ended = untilState(first.leader, 'candidate');
      for (const server of servers.slice(1)) await server.kill();
      await ended;
      expect([first.leader.isLeader, second.leader.isLeader]).toEqual([false, false]);
      await servers[1]?.launch();
      await Promise.race([untilState(first.leader, 'leader'), untilState(second.leader, 'leader')]);
    },
    LIMIT_MS,
  );
});
