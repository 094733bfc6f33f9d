/** redis-leader 0.1.0. */
import { createHash } from 'node:crypto';
import type { EventEmitter } from 'node:events';

import { peer } from '../peer.js';
import type { CandidateOptions, Contestant } from './contestant.interface.js';
import { RestartedOnError } from './restarted-on-error.js';

/** What is used of node_redis 2. */
interface RedisClient extends EventEmitter {
  ping(answered: (error: Error | null) => void): void;
  end(flush: boolean): void;
}

interface Leader extends EventEmitter {
  elect(): void;
  stop(): void;
  readonly renewId: NodeJS.Timeout | undefined;
  readonly electId: NodeJS.Timeout | undefined;
}

type LeaderClass = new (
  redis: RedisClient,
  options: { key: string; ttl: number; wait: number },
) => Leader;

/** Its default. */
const WAIT_MS = 1000;

export const redisLeader: Contestant = {
  id: 'redis-leader',
  driven:
    '`new Leader(redis, { key, ttl, wait })` on node_redis 2.8, asked by its events, with its default `wait` of 1000 ms, ' +
    'ended by `stop()`. Its `error` event, at which its README says to exit the process, counts as a restart.',
  leaseKey: (election) => `leader:${createHash('sha1').update(election).digest('hex')}`,
  start(options) {
    return Promise.resolve(start(options));
  },
};

function start({ url, election, ttlMs, changed, retryEveryMs = WAIT_MS }: CandidateOptions) {
  const Leader = peer<LeaderClass>('redis-leader');
  const { createClient } = peer<{ createClient: (url: string) => RedisClient }>('redis-2');
  const redis = createClient(url);
  redis.on('error', () => undefined);
  const roundTrip = () => new Promise<void>((resolve) => redis.ping(() => resolve()));

  const begin = () => {
    const leader = new Leader(redis, { key: election, ttl: ttlMs, wait: retryEveryMs });
    leader.on('elected', () => candidate.tell(true));
    leader.on('revoked', () => candidate.tell(false));
    leader.on('error', () => candidate.failed());
    leader.elect();
    return {
      abandon: () => {
        leader.removeAllListeners();
        // What comes of a command under way is not heard of any more.
        leader.on('error', () => undefined);
        clearInterval(leader.renewId);
        clearTimeout(leader.electId);
      },
      end: async () => {
        leader.stop();
        // It does not tell when it has stopped: behind its GET, and then behind its DEL.
        await roundTrip();
        await roundTrip();
        redis.end(true);
      },
    };
  };
  const candidate = new RestartedOnError(begin, changed, retryEveryMs);
  candidate.begin();
  return candidate;
}
