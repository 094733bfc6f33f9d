/** When a lease ends, by the clock that all processes share. */
import type { Redis } from 'ioredis';

import { sharedAheadOfWallMs } from './wall-clock.js';

/** As Redis 7 knows it, to the millisecond: the key is gone when that one is over. */
export async function leaseEnd(redis: Redis, key: string): Promise<number> {
  const endsAt = await redis.pexpiretime(key);
  if (endsAt < 0) throw new Error(`There is no lease at ${key}, or it has no ttl.`);
  return endsAt + sharedAheadOfWallMs();
}
