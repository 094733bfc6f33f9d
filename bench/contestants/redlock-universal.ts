/** redlock-universal 0.8.5. */
import { Redis } from 'ioredis';

import { peer } from '../peer.js';
import { candidateOfLock } from './candidate-of-lock.js';
import type { Contestant } from './contestant.interface.js';

interface Adapter {
  ping(): Promise<string>;
}

interface LockConfig {
  readonly adapter: Adapter;
  readonly key: string;
  readonly ttl: number;
  readonly retryDelay?: number;
}

interface Package {
  IoredisAdapter: new (redis: Redis) => Adapter;
  createLock: (config: LockConfig) => {
    using(routine: (signal: AbortSignal) => Promise<void>): Promise<void>;
  };
}

/** Its default. */
const RETRY_DELAY_MS = 100;

const leaseKey = (election: string): string => `leader:${election}`;

export const redlockUniversal: Contestant = {
  id: 'redlock-universal',
  driven:
    '`createLock({ adapter: new IoredisAdapter(redis), key, ttl }).using(routine)`, which its README recommends, with ' +
    'its defaults: four tries 100 ms apart, then `using` again after 100 ms. Leads while the routine runs and `signal` ' +
    'has not aborted.',
  leaseKey,
  start({ url, election, ttlMs, changed, retryEveryMs = RETRY_DELAY_MS }) {
    const { IoredisAdapter, createLock } = peer<Package>('redlock-universal');
    const redis = new Redis(url);
    const lock = createLock({
      adapter: new IoredisAdapter(redis),
      key: leaseKey(election),
      ttl: ttlMs,
      retryDelay: retryEveryMs,
    });
    return Promise.resolve(
      candidateOfLock({
        using: (body) => lock.using(body),
        redis,
        pauseMs: retryEveryMs,
        changed,
      }),
    );
  },
};
