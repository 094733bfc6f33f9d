/** All contestants; the first is this library. */
import type { Contestant } from './contestant.interface.js';
import { handWrittenLoop } from './hand-written-loop.js';
import { ours } from './ours.js';
import { redisLeader } from './redis-leader.js';
import { redisSemaphore } from './redis-semaphore.js';
import { redlockUniversal } from './redlock-universal.js';
import { redlock } from './redlock.js';
import { tsSafeRedisLeader } from './ts-safe-redis-leader.js';

export const CONTESTANTS: readonly Contestant[] = [
  ours,
  tsSafeRedisLeader,
  redisLeader,
  redlock,
  redlockUniversal,
  redisSemaphore,
  handWrittenLoop,
];
