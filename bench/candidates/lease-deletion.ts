/** Hears when a lease is deleted. */
import { once } from 'node:events';
import { Redis } from 'ioredis';

import { sharedNowMs } from '../../lib/testing/history-recorder.js';
import type { RedisServer } from '../../test/support/redis/redis-server.js';

export class DeletionListener {
  private constructor(private readonly redis: Redis) {}

  /** By a keyspace event: one message at a deletion, and no cost otherwise. */
  static async start({ admin, url }: RedisServer, key: string): Promise<DeletionListener> {
    await admin.config('SET', 'notify-keyspace-events', 'Kg');
    const redis = new Redis(url);
    await redis.subscribe(`__keyspace@0__:${key}`);
    return new DeletionListener(redis);
  }

  /** When the next deletion was heard of here, by the clock that all processes share. */
  async next(): Promise<number> {
    let event: unknown;
    while (event !== 'del') [, event] = (await once(this.redis, 'message')) as [string, string];
    return sharedNowMs();
  }

  end(): void {
    this.redis.disconnect();
  }
}
