/** Mutexes of redis-semaphore, with the handler for lost locks that its README shows. */
import { Redis } from 'ioredis';

import { peer } from '../../peer.js';
import { holdEach } from './hold-each.js';
import type { Holder } from './holder.interface.js';

/** What is used of it. */
interface Mutex {
  acquire(): Promise<void>;
}

interface RedisSemaphore {
  readonly Mutex: new (
    client: Redis,
    key: string,
    options: { readonly lockTimeout: number; readonly onLockLost: () => void },
  ) => Mutex;
}

export const redisSemaphore: Holder = {
  id: 'redis-semaphore',
  driven: 'a `Mutex` each on one client, refreshed at 80 % of the ttl, which is its default',
  periodMs: (ttlMs) => Math.round(ttlMs * 0.8),
  open(options) {
    const { Mutex } = peer<RedisSemaphore>('redis-semaphore');
    const client = new Redis(options.url);
    return holdEach(options, (key, onLockLost) =>
      new Mutex(client, key, { lockTimeout: options.ttlMs, onLockLost }).acquire(),
    );
  },
};
