import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { RedisLeaseStore } from '../../lib/stores/redis/redis-lease-store.js';
import { awaitUntil } from '../support/await-until.js';
import { RedisServer } from '../support/redis/redis-server.js';
import { holder, requestBy } from '../support/redis/requests.js';
import { ProgramDirectory, type Outcome } from '../support/redis/run-program.js';

/** A process that holds nothing open any more is gone long before. */
const LINGERING_MS = 2_000;
const KILL_AFTER_MS = 20_000;

/** Uses a store as `scenario` says, closes it, and then has nothing left to do. */
const program = (scenario: string): string => `
import { RedisLeaseStore } from './lib/stores/redis/redis-lease-store.js';

const [url] = process.argv.slice(2);
const by = { holder: 'a', nodeId: 'a', metadata: {} };
const request = { election: 'jobs', by, attempt: 1, ttlMs: 5000, floor: 0, longestTtlMs: 5000, holdOff: 'never', timeoutMs: 5000 };
const quietly = (call) => call.then(() => 'answered', (error) => error.kind);
const ready = () => new Promise((resolve) => store.watch('jobs', { freed: resolve, reconnected() {} }));

const store = new RedisLeaseStore({ redis: url });
${scenario}
const closingAt = performance.now();
await store.close();
await store.close();
console.log('closed in ms:', performance.now() - closingAt);
// Does not keep the process alive; fires only if something else does.
setTimeout(() => process.exit(7), ${LINGERING_MS}).unref();
`;

describe('close()', () => {
  let redis: RedisServer;
  let programs: ProgramDirectory;

  beforeAll(async () => {
    programs = await ProgramDirectory.create();
  });
  afterAll(() => programs.remove());
  beforeEach(async () => {
    redis = await RedisServer.start();
  });
  afterEach(() => redis.stop());

  it.each([
    ['after it was used', 'await store.acquire(request); await ready();'],
    ['before it was used', ''],
    ['while it connects', 'store.watch("jobs", { freed() {}, reconnected() {} });'],
    ['with a watcher that listens', 'await ready();'],
    [
      'F-15: while a call is under way, which rejects',
      `await store.acquire(request);
       const call = quietly(store.renew({ ...request, epoch: 1 }));
       call.then((outcome) => console.log('call:', outcome));`,
    ],
  ])('F-14: lets the process end, %s', async (_, scenario) => {
    expectCleanEnd(await programs.run(program(scenario), [redis.url], KILL_AFTER_MS));
  });

  it.each([
    ['that was never reached', 'await quietly(store.acquire(request));'],
    [
      'that it tries to reach again and again',
      `for (let n = 0; n < 5; n += 1) await quietly(store.acquire(request));
       store.watch("jobs", { freed() {}, reconnected() {} });
       await new Promise((resolve) => setTimeout(resolve, 300));`,
    ],
  ])('F-14: lets the process end without a server %s', async (_, scenario) => {
    await redis.kill();
    expectCleanEnd(await programs.run(program(scenario), [redis.url], KILL_AFTER_MS));
  });

  it.each([
    [
      'that accepts and never answers',
      'await quietly(store.acquire({ ...request, timeoutMs: 50 }));',
    ],
    [
      'and a call under way',
      `quietly(store.acquire(request)).then((outcome) => console.log('call:', outcome));
       await new Promise((resolve) => setTimeout(resolve, 100));`,
    ],
  ])('F-15: lets the process end with a server %s', async (_, scenario) => {
    redis.pause();
    expectCleanEnd(await programs.run(program(scenario), [redis.url], KILL_AFTER_MS));
  });

  it('F-15: rejects what is under way, and whatever is asked later', async () => {
    const store = new RedisLeaseStore({ redis: redis.url });
    await store.acquire(requestBy(holder('a')));
    redis.pause();
    const underWay = store.acquire(requestBy(holder('a'), { attempt: 2, timeoutMs: 20_000 }));
    const outcome = underWay.catch((error: unknown) => error);
    await store.close();

    expect(await outcome).toMatchObject({ kind: 'unreachable' });
    await expect(store.acquire(requestBy(holder('a')))).rejects.toMatchObject({
      kind: 'unreachable',
      message: expect.stringContaining('closed'),
    });
    redis.resume();
  });

  it('leaves no connection at the server', async () => {
    const store = new RedisLeaseStore({ redis: redis.url });
    store.watch('jobs', { freed: () => undefined, reconnected: () => undefined });
    await store.acquire(requestBy(holder('a')));
    await store.close();
    await awaitUntil(async () => Number(await redis.info('clients', 'connected_clients')) === 1, {
      what: 'only the test is connected',
    });
  });
});

/** It ended by itself, soon, and nothing was thrown that nobody caught. */
function expectCleanEnd({ code, stdout, stderr }: Outcome): void {
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const closedInMs = Number(/closed in ms: (.*)/.exec(stdout)?.[1]);
  expect(closedInMs).toBeLessThan(1_000);
}
