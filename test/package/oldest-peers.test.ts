import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';

import { assertElected } from './support/assert-elected.js';
import { Consumer, PATIENCE_MS } from './support/consumer.js';
import { redisEnvironment, startOptionalRedis } from './support/optional-redis.js';
import { peerDependencies } from './support/repository.js';

/** The lower end of each range in `peerDependencies`. */
const OLDEST = {
  '@nestjs/common': '11.0.0',
  '@nestjs/core': '11.0.0',
  '@nestjs/platform-express': '11.0.0',
  ioredis: '5.3.0',
  'reflect-metadata': '0.1.13',
  rxjs: '7.2.0',
};

jest.setTimeout(PATIENCE_MS);

describe('an application on the oldest versions that the package claims to work with', () => {
  let consumer: Consumer;
  let redis: Awaited<ReturnType<typeof startOptionalRedis>>;

  beforeAll(async () => {
    redis = await startOptionalRedis();
    consumer = await Consumer.install({ template: 'nest11-cjs', dependencies: OLDEST });
    await consumer.compile('--exactOptionalPropertyTypes');
  });

  afterAll(async () => {
    await consumer?.remove();
    await redis?.stop();
  });

  it('has the lowest version of each peer range', async () => {
    const peers = Object.entries(await peerDependencies());
    const installed = await Promise.all(
      peers.map(async ([name]) => [name, `^${await consumer.versionOf(name)}`]),
    );
    const lowest = peers.map(([name, range]) => [name, range.split(' || ')[0]]);
    expect(installed).toEqual(lowest);
  });

  it('elects in CommonJS and hands over', async () => {
    const output = await consumer.run(['node', 'dist/main.js'], { env: redisEnvironment(redis) });
    assertElected(output, { stores: redis === null ? 1 : 2 });
  });

  it('can be imported from an ES module', async () => {
    const program =
      "const { LeaderService } = await import('nestjs-leader-election'); console.log(LeaderService.name)";
    const output = await consumer.run(['node', '--input-type=module', '--eval', program]);
    expect(output.trim()).toBe('LeaderService');
  });
});
