/** Counts what the clients of a Redis ask of it. */
import type { Redis } from 'ioredis';

/**
 * Returns how many requests came since then, without its own. Redis counts the commands inside of scripts as commands,
 * so this counts what it reads: a candidate sends one command at a time.
 */
export async function countRequests(redis: Redis): Promise<() => Promise<number>> {
  const before = await reads(redis);
  return async () => (await reads(redis)) - before - 1;
}

async function reads(redis: Redis): Promise<number> {
  const stats = await redis.info('stats');
  return Number(/^total_reads_processed:(\d+)/m.exec(stats)?.[1]);
}
