import { afterAll, beforeAll, describe, it, jest } from '@jest/globals';

import { assertElected, assertSameClasses } from './support/assert-elected.js';
import { Consumer, PATIENCE_MS } from './support/consumer.js';
import { redisEnvironment, startOptionalRedis } from './support/optional-redis.js';

jest.setTimeout(PATIENCE_MS);

describe('a Nest 11 application in CommonJS, with ioredis 5 and schedule 6', () => {
  let consumer: Consumer;
  let redis: Awaited<ReturnType<typeof startOptionalRedis>>;

  beforeAll(async () => {
    redis = await startOptionalRedis();
    consumer = await Consumer.install({ template: 'nest11-cjs' });
    // With `skipLibCheck: false` and the module resolution that knows no exports (node10).
    await consumer.compile();
  });

  afterAll(async () => {
    await consumer?.remove();
    await redis?.stop();
  });

  it('elects, runs an @OnlyLeader() @Interval job and hands over, on node', async () => {
    const output = await consumer.run(['node', 'dist/main.js'], { env: redisEnvironment(redis) });
    assertElected(output, { stores: redis === null ? 1 : 2 });
  });

  it('does so under its default jest', async () => {
    await consumer.run(['node', 'node_modules/jest/bin/jest.js'], {
      env: redisEnvironment(redis),
    });
  });

  it('gets the same classes from import and require', async () => {
    assertSameClasses(await consumer.run(['node', 'src/same-class.mjs']));
  });

  it('compiles with node16 resolution and exactOptionalPropertyTypes', async () => {
    const node16 = ['--module', 'node16', '--moduleResolution', 'node16'];
    await consumer.compile('--noEmit', ...node16, '--exactOptionalPropertyTypes');
  });
});
