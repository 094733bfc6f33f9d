import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { awaitUntil } from '../support/await-until.js';
import { RedisServer } from '../support/redis/redis-server.js';
import { buildSample, type SampleBuild } from './sample-build.js';
import { SampleProcess } from './sample-process.js';

const TICK = /tick on (\S+), epoch (\d+)/g;

describe('the sample 01-cron', () => {
  let redis: RedisServer;
  let build: SampleBuild;
  const processes: SampleProcess[] = [];

  function start(): SampleProcess {
    const process = SampleProcess.start(build.entry, { REDIS_URL: redis.url });
    processes.push(process);
    return process;
  }

  beforeAll(async () => {
    [redis, build] = await Promise.all([RedisServer.start(), buildSample('01-cron')]);
  }, 60_000);

  afterAll(async () => {
    await Promise.all(processes.map((process) => process.end('SIGKILL')));
    await redis.stop();
    await build.remove();
  });

  it('ticks in one of two processes, and in the other at once when that one is told to stop', async () => {
    const first = start();
    await first.prints(/tick on/);

    const second = start();
    await second.prints(/following .*, which leads with epoch/);
    const before = ticks(first).length;
    await awaitUntil(() => ticks(first).length >= before + 2, { what: 'it goes on ticking' });
    expect(ticks(second)).toEqual([]);

    await first.end('SIGTERM');
    await second.prints(/tick on/);

    const [old, young] = [ticks(first), ticks(second)];
    expect(new Set([...old, ...young].map(({ node }) => node)).size).toBe(2);
    expect(young[0]?.epoch).toBeGreaterThan(old.at(-1)?.epoch ?? Infinity);
  }, 60_000);
});

function ticks({ output }: SampleProcess): { node: string; epoch: number }[] {
  return [...output.matchAll(TICK)].map(([, node = '', epoch]) => ({ node, epoch: Number(epoch) }));
}
