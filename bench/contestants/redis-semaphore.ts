/** The Mutex of redis-semaphore 5.8. */
import { Redis } from 'ioredis';

import { peer } from '../peer.js';
import { candidateOfLock } from './candidate-of-lock.js';
import type { Contestant } from './contestant.interface.js';

interface Mutex {
  acquire(): Promise<void>;
  release(): Promise<void>;
}

interface MutexOptions {
  readonly lockTimeout: number;
  readonly retryInterval: number;
  readonly onLockLost: () => void;
}

type MutexClass = new (redis: Redis, key: string, options: MutexOptions) => Mutex;

/** Its default. */
const RETRY_INTERVAL_MS = 10;

export const redisSemaphore: Contestant = {
  id: 'redis-semaphore',
  driven:
    '`new Mutex(redis, key, { lockTimeout: ttl, onLockLost })`, with `acquire()` and its automatic refresh, as in its ' +
    'README under "lost lock handling", with its defaults: a try every 10 ms, for up to 10 s, then `acquire()` again. ' +
    'Leads from `acquire()` to `onLockLost` or `release()`.',
  leaseKey: (election) => `mutex:${election}`,
  start({ url, election, ttlMs, changed, retryEveryMs = RETRY_INTERVAL_MS }) {
    const { Mutex } = peer<{ Mutex: MutexClass }>('redis-semaphore');
    const redis = new Redis(url);
    return Promise.resolve(
      candidateOfLock({
        using: async (body) => {
          const lost = new AbortController();
          const mutex = new Mutex(redis, election, {
            lockTimeout: ttlMs,
            retryInterval: retryEveryMs,
            onLockLost: () => lost.abort(),
          });
          await mutex.acquire();
          try {
            await body(lost.signal);
          } finally {
            await mutex.release();
          }
        },
        redis,
        pauseMs: retryEveryMs,
        changed,
      }),
    );
  },
};
