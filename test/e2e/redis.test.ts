import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Injectable, Module } from '@nestjs/common';
import { Interval, ScheduleModule } from '@nestjs/schedule';
import { Redis } from 'ioredis';

import { LeaderElectionModule, OnlyLeader } from '../../lib/index.js';
import { awaitUntil } from '../support/await-until.js';
import { rootOptions, useApps } from '../support/nest/apps.js';
import { untilState } from '../support/nest/leadership.js';
import { openHandles } from '../support/nest/open-handles.js';
import { RedisServer } from '../support/redis/redis-server.js';

const apps = useApps();
let server: RedisServer;
let ran: number;

class Jobs {
  @Interval(20)
  @OnlyLeader()
  run() {
    ran += 1;
  }
}

beforeAll(async () => {
  server = await RedisServer.start();
});

afterAll(() => server.stop());

beforeEach(async () => {
  ran = 0;
  await server.admin.flushall();
});

// A rejection that nobody handles fails the test in which it happens: jest sees to that.

function start(election = {}) {
  return apps.start({
    http: true,
    election: { redis: server.url, holdOff: 'never', leaseTtlMs: 2_000, ...election },
    imports: [ScheduleModule.forRoot()],
    providers: [Jobs],
  });
}

describe('with Redis', () => {
  it('N-14: one of two leads, and hands over at once when it is closed', async () => {
    const first = await start({ leaseTtlMs: 10_000 });
    const won = await untilState(first.leader, 'leader');
    const second = await start({ leaseTtlMs: 10_000 });
    const following = await untilState(second.leader, 'follower');
    expect(following.leader).toMatchObject({ nodeId: first.leader.nodeId, epoch: won.epoch });
    await first.app.close();
    const closedAt = performance.now();
    const next = await untilState(second.leader, 'leader');
    expect(performance.now() - closedAt).toBeLessThan(1_000);
    expect(next.epoch).toBe((won.epoch ?? NaN) + 1);
  });

  it('O-03: shows who leads to redis-cli, with a random part', async () => {
    const { leader } = await start({ nodeId: 'pod-1', name: 'billing' });
    const { epoch } = await untilState(leader, 'leader');
    const lease = await server.admin.get('leader-election:{billing}:lease');
    expect(lease).toMatch(new RegExp(`^pod-1#[0-9a-f]{16}\\|${epoch}$`));
    const record = await server.admin.hgetall('leader-election:{billing}:record');
    expect(record).toMatchObject({ epoch: String(epoch) });
  });

  it('O-03: shows names as they are, whatever characters they have', async () => {
    const nodeId = `pod|7:${'ü'.repeat(50)} "%d"`;
    const name = 'jobs of the night|1';
    const metadata = { url: 'http://x/?a={b}', 'a|b': '"' };
    const first = await start({ nodeId, name, metadata });
    const { epoch } = await untilState(first.leader, 'leader');
    const second = await start({ name });
    const following = await untilState(second.leader, 'follower');
    expect(following.leader).toEqual({ nodeId, epoch, metadata });
  });

  it('N-12: releases although the client of the user, which it never closes, quits first', async () => {
    @Injectable()
    class Connection {
      readonly client = new Redis(server.url);
      async onModuleDestroy() {
        // Nest 11 calls it again when a closed application is closed.
        if (this.client.status !== 'end') await this.client.quit();
      }
    }
    @Module({ providers: [Connection], exports: [Connection] })
    class ConnectionModule {}
    const { app, leader } = await apps.start({
      electionModule: [
        LeaderElectionModule.forRootAsync({
          imports: [ConnectionModule],
          inject: [Connection],
          useFactory: ({ client }: Connection) => rootOptions({ redis: client, holdOff: 'never' }),
        }),
      ],
    });
    await untilState(leader, 'leader');
    const { client } = app.get(Connection, { strict: false });
    await app.close();
    await awaitUntil(() => client.status === 'end', { what: 'the client of the user has quit' });
    expect(await server.admin.keys('*:lease')).toEqual([]);
    expect(apps.logger.texts('warn')).toEqual([]);
  });

  it('N-12: leaves a client of the user open', async () => {
    const client = new Redis(server.url, { disconnectTimeout: 20 });
    try {
      const { app, leader } = await start({ redis: client });
      await untilState(leader, 'leader');
      await app.close();
      expect(await client.ping()).toBe('PONG');
    } finally {
      client.disconnect();
    }
  });

  it('N-17: keeps no socket and no timer after close', async () => {
    const before = openHandles();
    const { app, leader } = await start();
    await untilState(leader, 'leader');
    await app.close();
    await awaitUntil(() => openHandles().length <= before.length, {
      what: `nothing but ${before.join(', ')} is open`,
    });
  });
});

describe('while Redis cannot be reached', () => {
  let up = false;

  beforeEach(kill);
  afterEach(async () => {
    if (!up) await launch();
  });

  it('N-20 S-21: boots, listens, runs nothing, says it once, and leads once Redis is up', async () => {
    const startedAt = performance.now();
    const { url, leader, events } = await start();
    expect(performance.now() - startedAt).toBeLessThan(2_000);
    expect((await fetch(url)).status).toBe(404);

    for (let nth = 0; nth < 10; nth += 1) await events.next('storeFailed');
    await events.next('skipped');
    expect(leader).toMatchObject({ isLeader: false, state: 'candidate', leader: null });
    expect(ran).toBe(0);
    expect(apps.logger.texts('warn')).toHaveLength(1);
    expect(apps.logger.texts('warn')[0]).toMatch(/^The lease store cannot be reached \(acquire: /);
    expect(apps.logger.texts('error')).toEqual([]);

    await launch();
    await untilState(leader, 'leader');
    await events.next('runEnded');
    expect(ran).toBeGreaterThan(0);
    expect(apps.logger.texts('warn')).toHaveLength(1);
    expect(apps.logger.texts('log')).toContainEqual(
      expect.stringMatching(/^The lease store answers again after \d+ ms\.$/),
    );
  });

  it('F-14: closes soon, whether it has tried already or not', async () => {
    const tried = await start();
    await tried.events.first('storeFailed');
    const fresh = await start();
    const closingAt = performance.now();
    await Promise.all([tried.app.close(), fresh.app.close()]);
    expect(performance.now() - closingAt).toBeLessThan(2_000);
    expect([tried.leader.state, fresh.leader.state]).toEqual(['stopped', 'stopped']);
  });

  it('F-14: closes soon where Redis went away under a leader', async () => {
    await launch();
    const { app, leader, events } = await start();
    await untilState(leader, 'leader');
    await kill();
    await events.next('storeFailed');
    const closingAt = performance.now();
    await app.close();
    expect(performance.now() - closingAt).toBeLessThan(4_000);
    expect(leader.state).toBe('stopped');
  });

  it('O-04: is told apart from another leader', async () => {
    await launch();
    const first = await start();
    await untilState(first.leader, 'leader');
    const second = await start();
    await untilState(second.leader, 'follower');
    await kill();
    await untilState(second.leader, 'candidate');
    expect(second.leader.leader?.nodeId).not.toBe(second.leader.nodeId);
    await expect(first.events.first('ended')).resolves.toMatchObject({ reason: 'store-lost' });
  });

  async function kill(): Promise<void> {
    up = false;
    await server.kill();
  }

  async function launch(): Promise<void> {
    await server.launch();
    up = true;
  }
});
