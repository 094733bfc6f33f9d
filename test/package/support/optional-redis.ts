import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { RedisServer } from '../../support/redis/redis-server.js';

/** A Redis for the consumers, or null where there is no redis-server; they then elect in memory only. */
export async function startOptionalRedis(): Promise<RedisServer | null> {
  try {
    await promisify(execFile)('redis-server', ['--version']);
  } catch {
    return null;
  }
  return RedisServer.start();
}

/** What the consumers are told of it. */
export function redisEnvironment(redis: RedisServer | null): NodeJS.ProcessEnv {
  return redis === null ? {} : { REDIS_URL: redis.url };
}
