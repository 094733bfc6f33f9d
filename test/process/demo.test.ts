/** `npm run demo`, as a user runs it: what it says, how it exits, and that it leaves nothing behind. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { describe, expect, it } from '@jest/globals';

import { awaitUntil } from '../support/await-until.js';
import { RedisServer } from '../support/redis/redis-server.js';

const ENTRY = 'sample/demo/demo.mjs';

class Demo {
  output = '';

  private constructor(private readonly process: ChildProcess) {
    process.stdout?.on('data', (data: Buffer) => (this.output += data.toString()));
    process.stderr?.on('data', (data: Buffer) => (this.output += data.toString()));
  }

  static start(env: Record<string, string>): Demo {
    const { REDIS_URL: _, ...rest } = process.env;
    const stdio = ['ignore', 'pipe', 'pipe'] as const;
    return new Demo(
      spawn(process.execPath, [ENTRY], { env: { ...rest, ...env }, stdio: [...stdio] }),
    );
  }

  async children(): Promise<readonly string[]> {
    const list = ['-o', 'pid=', '--ppid', `${this.process.pid}`];
    // Where there are none, `ps` fails.
    const { stdout } = await promisify(execFile)('ps', list).catch(() => ({ stdout: '' }));
    return stdout.split('\n').filter((pid) => pid.trim() !== '');
  }

  signal(signal: NodeJS.Signals): void {
    this.process.kill(signal);
  }

  async exitCode(): Promise<number | null> {
    if (this.process.exitCode === null) await once(this.process, 'close');
    return this.process.exitCode;
  }
}

async function withRedis(test: (redis: RedisServer) => Promise<void>): Promise<void> {
  const redis = await RedisServer.start();
  try {
    await test(redis);
  } finally {
    await redis.stop();
  }
}

async function areAlive(pids: readonly string[]): Promise<boolean> {
  const checks = pids.map((pid) =>
    promisify(execFile)('kill', ['-0', pid.trim()]).then(
      () => true,
      () => false,
    ),
  );
  return (await Promise.all(checks)).includes(true);
}

describe('npm run demo', () => {
  it.concurrent(
    'kills and ends leaders on the Redis in REDIS_URL, exits with 0 and leaves no key',
    () =>
      withRedis(async (redis) => {
        const demo = Demo.start({ REDIS_URL: redis.url });
        expect(await demo.exitCode()).toBe(0);
        expect(demo.output).toMatch(/SIGKILL[^]*LEADS .* after the kill[^]*SIGTERM[^]*LEADS/);
        expect(demo.output).toMatch(/duplicates +0 /);
        expect(demo.output).toMatch(/epochs +3 +growing/);
        expect(await redis.admin.dbsize()).toBe(0);
      }),
    60_000,
  );

  it.concurrent(
    'does without Redis where there is none, and says so',
    async () => {
      const path = await mkdtemp(join(tmpdir(), 'leader-election-path-'));
      try {
        await symlink(process.execPath, join(path, 'node'));
        const demo = Demo.start({ PATH: path });
        expect(await demo.exitCode()).toBe(0);
        expect(demo.output).toContain(
          'three applications in one process on the InMemoryLeaseStore',
        );
        expect(demo.output).toMatch(/duplicates +0 /);
      } finally {
        await rm(path, { recursive: true });
      }
    },
    60_000,
  );

  it.concurrent.each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)(
    'leaves no process and no key behind on %s',
    (signal) =>
      withRedis(async (redis) => {
        const demo = Demo.start({ REDIS_URL: redis.url });
        await awaitUntil(async () => (await demo.children()).length === 3, {
          timeoutMs: 20_000,
          what: 'its three processes run',
        });
        const children = await demo.children();
        demo.signal(signal);
        await demo.exitCode();
        await awaitUntil(async () => !(await areAlive(children)), {
          what: 'its processes are gone',
        });
        // Whoever is killed cannot tidy up.
        if (signal !== 'SIGKILL') expect(await redis.admin.dbsize()).toBe(0);
      }),
    60_000,
  );

  it.concurrent('says that the Redis in REDIS_URL does not answer, and exits with 1', async () => {
    const demo = Demo.start({ REDIS_URL: 'redis://127.0.0.1:1' });
    expect(await demo.exitCode()).toBe(1);
    expect(demo.output).toContain('The Redis in REDIS_URL does not answer');
  });
});
