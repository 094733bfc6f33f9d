/** When a lease ends, by the clock that all processes share. */
import type { Redis } from 'ioredis';

import { sharedNowMs } from '../../lib/testing/history-recorder.js';

/** As Redis 7 knows it, to the millisecond: the key is gone when that one is over. Null where it is gone. */
export async function leaseEnd(redis: Redis, key: string): Promise<number | null> {
  const endsAt = await redis.pexpiretime(key);
  return endsAt < 0 ? null : endsAt + sharedAheadOfWallMs();
}

/** Redis goes by the wall clock, which tells whole milliseconds: at the moment when one begins. */
function sharedAheadOfWallMs(): number {
  const before = Date.now();
  let now = before;
  while (now === before) now = Date.now();
  return sharedNowMs() - now;
}
