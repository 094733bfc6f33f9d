import { Inject, Injectable } from '@nestjs/common';
import type { Redis } from 'ioredis';

import { REDIS } from './redis.provider.js';

export interface CacheEntry {
  /** When it was refreshed, as an ISO date. */
  readonly refreshedAt: string;
  /** The epoch of the leader that did it: the fencing token. */
  readonly epoch: number;
  /** And which one it was. */
  readonly node: string;
}

const CACHE_KEY = 'cache:refresh';

/**
 * The fence. Being the leader when a refresh *began* says nothing about the moment its write arrives: a process may be
 * paused in between for longer than its lease, and wake up when another has led, and written, for a while. So the
 * write brings the epoch it was made under, and the place that stores the data compares, in the same atomic step: an
 * epoch lower than the one that is stored belongs to a leader of the past, and is refused.
 *
 * KEYS[1] the cache. ARGV: epoch, node, refreshedAt. Returns 1 when written, 0 when refused.
 */
const WRITE_UNLESS_STALE = `
local stored = tonumber(redis.call('HGET', KEYS[1], 'epoch') or 0)
if tonumber(ARGV[1]) < stored then
  return 0
end
redis.call('HSET', KEYS[1], 'epoch', ARGV[1], 'node', ARGV[2], 'refreshedAt', ARGV[3])
return 1
`;

@Injectable()
export class CacheService {
  constructor(@Inject(REDIS) private readonly redis: Redis) {}

  async read(): Promise<CacheEntry | null> {
    const { epoch, node, refreshedAt } = await this.redis.hgetall(CACHE_KEY);
    if (epoch === undefined || node === undefined || refreshedAt === undefined) return null;
    return { refreshedAt, epoch: Number(epoch), node };
  }

  /** False when a later leader has written already: this entry comes from one of the past. */
  async write({ epoch, node, refreshedAt }: CacheEntry): Promise<boolean> {
    const args = [epoch, node, refreshedAt];
    return (await this.redis.eval(WRITE_UNLESS_STALE, 1, CACHE_KEY, ...args)) === 1;
  }
}
