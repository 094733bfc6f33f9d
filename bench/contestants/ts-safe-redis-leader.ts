/** ts-safe-redis-leader 0.0.5. */
import { createHash } from 'node:crypto';
import type { Redis, RedisOptions } from 'ioredis';

import { peer } from '../peer.js';
import type { CandidateOptions, Contestant } from './contestant.interface.js';
import { RestartedOnError } from './restarted-on-error.js';

interface SafeRedisLeader {
  elect(): Promise<void>;
  shutdown(): Promise<void>;
  on(event: 'elected' | 'demoted' | 'error', listener: () => void): void;
  removeAllListeners(): void;
  readonly renewTimeoutId: NodeJS.Timeout | undefined;
  readonly electTimeoutId: NodeJS.Timeout | undefined;
}

interface Package {
  SafeRedisLeader: new (
    redis: Redis,
    ttlMs: number,
    waitMs: number,
    key: string,
  ) => SafeRedisLeader;
}

/** The default of redis-leader. The README's own example waits for twice its ttl, which is slower still. */
const WAIT_MS = 1000;

export const tsSafeRedisLeader: Contestant = {
  id: 'ts-safe-redis-leader',
  driven:
    '`new SafeRedisLeader(redis, ttl, wait, key)` and `elect()`, with its own ioredis and the options of its README, ' +
    'asked by its events. `wait` is 1000 ms, the default of the package that it continues; the example in the README ' +
    'has 3000. Ended by `shutdown()`. Its `error` event, which unheard ends the process, counts as a restart.',
  leaseKey: (election) => `leader: ${createHash('sha1').update(election).digest('hex')}`,
  start(options) {
    return Promise.resolve(start(options));
  },
};

function start({ url, election, ttlMs, changed, retryEveryMs = WAIT_MS }: CandidateOptions) {
  const { SafeRedisLeader } = peer<Package>('ts-safe-redis-leader');
  // The version that it depends on, and the only one whose types it accepts.
  const IoRedis = peer<new (url: string, options: RedisOptions) => Redis>(
    'ts-safe-redis-leader/node_modules/ioredis',
  );
  const redis = new IoRedis(url, {
    autoResubscribe: false,
    lazyConnect: true,
    maxRetriesPerRequest: 0,
  });
  redis.on('error', () => undefined);

  const begin = () => {
    const leader = new SafeRedisLeader(redis, ttlMs, retryEveryMs, election);
    leader.on('elected', () => candidate.tell(true));
    leader.on('demoted', () => candidate.tell(false));
    leader.on('error', () => candidate.failed());
    void leader.elect();
    return {
      abandon: () => {
        leader.removeAllListeners();
        // What comes of a command under way is not heard of any more.
        leader.on('error', () => undefined);
        clearTimeout(leader.renewTimeoutId);
        clearTimeout(leader.electTimeoutId);
      },
      end: async () => {
        await leader.shutdown();
        redis.disconnect();
      },
    };
  };
  const candidate = new RestartedOnError(begin, changed, retryEveryMs);
  candidate.begin();
  return candidate;
}
