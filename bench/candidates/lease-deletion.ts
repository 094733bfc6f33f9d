/** Hears when a lease is deleted. */
import { Redis } from 'ioredis';

import { sharedNowMs } from '../../lib/testing/history-recorder.js';
import type { RedisServer } from '../../test/support/redis/redis-server.js';

export class DeletionListener {
  /** When the last deletion was heard of here, by the clock that all processes share. */
  lastAt = -Infinity;

  private constructor(private readonly redis: Redis) {
    redis.on('message', (_channel, event) => {
      if (event === 'del') this.lastAt = sharedNowMs();
    });
  }

  /** By a keyspace event: one message at a deletion, and no cost otherwise. */
  static async start({ admin, url }: RedisServer, key: string): Promise<DeletionListener> {
    await admin.config('SET', 'notify-keyspace-events', 'Kg');
    const redis = new Redis(url);
    await redis.subscribe(`__keyspace@0__:${key}`);
    return new DeletionListener(redis);
  }

  end(): void {
    this.redis.disconnect();
  }
}
