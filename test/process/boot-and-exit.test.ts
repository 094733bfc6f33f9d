/** Real processes: how they start without Redis, and how they end by themselves. */
import { describe, expect, it } from '@jest/globals';

import { awaitUntil } from '../support/await-until.js';
import { sharedNowMs } from '../../lib/index.js';
import { sleep } from '../support/process/cluster.js';
import { print } from '../support/process/report.js';
import { WorkerProcess } from '../support/process/worker-process.js';
import type { WorkerOptions } from '../support/process/worker-protocol.js';
import { freePort } from '../support/redis/free-port.js';
import { RedisServer } from '../support/redis/redis-server.js';

const TTL_MS = 2000;
const SLACK_MS = 1000;
/** How long Redis stays away. */
const AWAY_MS = 10_000;
const EXIT_WITHIN_MS = 2000;

async function withWorker(
  options: Omit<WorkerOptions, 'node'>,
  test: (worker: WorkerProcess) => Promise<void>,
): Promise<void> {
  const worker = await WorkerProcess.start({ node: 'alone', leaseTtlMs: TTL_MS, ...options });
  try {
    await test(worker);
  } finally {
    await worker.kill();
  }
}

async function withRedisLater(
  test: (url: string, launch: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const redis = await RedisServer.start();
  try {
    await redis.kill();
    await test(redis.url, () => redis.launch());
  } finally {
    await redis.stop();
  }
}

async function unreachableUrl(): Promise<string> {
  return `redis://127.0.0.1:${await freePort()}`;
}

function linesAt(level: string, { output }: WorkerProcess): readonly string[] {
  return output.split('\n').filter((line) => line.includes(level));
}

describe('a process that starts without Redis', () => {
  it.concurrent.each([
    // A server that has just started is waited for, as long as a lease lasts (in whole seconds, rounded up).
    { holdOff: 'auto', withinMs: TTL_MS + 2 * SLACK_MS },
    { holdOff: 'never', withinMs: SLACK_MS },
  ] as const)(
    "N-20, S-21: listens, warns once, runs nothing, and leads after Redis is up (holdOff: '$holdOff')",
    ({ holdOff, withinMs }) =>
      withRedisLater((redis, launch) =>
        withWorker({ redis, holdOff }, async (worker) => {
          await sleep(AWAY_MS);
          const status = await worker.call('status', {});
          expect(status).toMatchObject({ isLeader: false, state: 'candidate', runs: 0 });
          expect(status.skips).toBeGreaterThanOrEqual(8);
          expect((await fetch(`http://127.0.0.1:${status.port}/`)).status).toBe(404);
          expect(linesAt('WARN', worker)).toHaveLength(1);
          expect(linesAt('WARN', worker)[0]).toContain('The lease store cannot be reached');
          expect(linesAt('ERROR', worker)).toEqual([]);
          expect(worker.output).not.toMatch(/unhandled|warning:/i);

          await launch();
          const upAt = sharedNowMs();
          await awaitUntil(() => worker.believes, { what: 'it leads' });
          const tookMs = sharedNowMs() - upAt;
          print(`holdOff '${holdOff}': led ${tookMs.toFixed(0)} ms after Redis was up`);
          expect(tookMs).toBeLessThan(withinMs);
          expect(linesAt('ERROR', worker)).toEqual([]);
        }),
      ),
    60_000,
  );
});

describe('a process that ends', () => {
  it.concurrent.each([{ kind: 'http' }, { kind: 'context' }] as const)(
    'F-14: exits by itself after close() while Redis is down ($kind)',
    async ({ kind }) => {
      await withWorker({ redis: await unreachableUrl(), kind }, async (worker) => {
        await sleep(500);
        const closingAt = sharedNowMs();
        expect((await worker.call('close', {})).tookMs).toBeLessThan(EXIT_WITHIN_MS);
        await worker.exited;
        expect(sharedNowMs() - closingAt).toBeLessThan(EXIT_WITHIN_MS);
        expect(worker.exitCode).toBe(0);
      });
    },
    30_000,
  );

  it.concurrent(
    'F-14: exits by itself when it leads and Redis goes away before close()',
    async () => {
      const redis = await RedisServer.start();
      try {
        await withWorker({ redis: redis.url, holdOff: 'never' }, async (worker) => {
          await awaitUntil(() => worker.believes, { what: 'it leads' });
          await redis.kill();
          const closingAt = sharedNowMs();
          await worker.call('close', {});
          await worker.exited;
          expect(sharedNowMs() - closingAt).toBeLessThan(EXIT_WITHIN_MS);
          expect(worker.exitCode).toBe(0);
        });
      } finally {
        await redis.stop();
      }
    },
    30_000,
  );

  it.concurrent(
    'N-19: is kept alive by a context until close(), and by nothing after that',
    async () => {
      const redis = await RedisServer.start();
      try {
        await withWorker({ redis: redis.url, kind: 'context' }, async (worker) => {
          await awaitUntil(() => worker.believes, { what: 'it leads' });
          await sleep(TTL_MS);
          expect(worker.running).toBe(true);
          const closingAt = sharedNowMs();
          await worker.call('close', {});
          await worker.exited;
          expect(sharedNowMs() - closingAt).toBeLessThan(EXIT_WITHIN_MS);
          expect(worker.exitCode).toBe(0);
          expect(await redis.admin.exists('leader-election:{default}:lease')).toBe(0);
        });
      } finally {
        await redis.stop();
      }
    },
    30_000,
  );
});
