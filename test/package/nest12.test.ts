import { afterAll, beforeAll, describe, it, jest } from '@jest/globals';

import { assertElected, assertSameClasses } from './support/assert-elected.js';
import { Consumer, PATIENCE_MS } from './support/consumer.js';
import { redisEnvironment, startOptionalRedis } from './support/optional-redis.js';

jest.setTimeout(PATIENCE_MS);

describe('a Nest 12 application in ESM, with ioredis 6 and schedule 12', () => {
  let consumer: Consumer;
  let redis: Awaited<ReturnType<typeof startOptionalRedis>>;

  beforeAll(async () => {
    redis = await startOptionalRedis();
    consumer = await Consumer.install({ template: 'nest12-esm' });
    // With `skipLibCheck: false` and the resolution that Nest 12 generates (nodenext).
    await consumer.compile('--exactOptionalPropertyTypes');
  });

  afterAll(async () => {
    await consumer?.remove();
    await redis?.stop();
  });

  it('elects, runs an @OnlyLeader() @Interval job and hands over, on node', async () => {
    const output = await consumer.run(['node', 'dist/main.js'], { env: redisEnvironment(redis) });
    assertElected(output, { stores: redis === null ? 1 : 2 });
  });

  it('does so under vitest', async () => {
    await consumer.run(['node', 'node_modules/vitest/vitest.mjs', 'run'], {
      env: redisEnvironment(redis),
    });
  });

  it('does so under jest in native ESM', async () => {
    const native = ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js'];
    await consumer.run(['node', ...native], { env: redisEnvironment(redis) });
  });

  it('gets the same classes from import and require', async () => {
    assertSameClasses(await consumer.run(['node', 'src/same-class.mjs']));
  });

  it('elects when compiled to CommonJS, which then requires ES modules', async () => {
    const commonJs = ['--module', 'commonjs', '--moduleResolution', 'bundler'];
    // Compiled with `skipLibCheck: false` before.
    await consumer.compile(...commonJs, '--skipLibCheck', '--outDir', 'dist-cjs');
    await consumer.write('dist-cjs/package.json', '{ "type": "commonjs" }');
    const output = await consumer.run(['node', 'dist-cjs/main.js'], {
      env: redisEnvironment(redis),
    });
    assertElected(output, { stores: redis === null ? 1 : 2 });
  });
});
