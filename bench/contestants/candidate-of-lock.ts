/** A candidate made of a lock: takes it, holds it until it is lost or the candidate ends, and tries again. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';

import type { BenchCandidate } from './contestant.interface.js';

export interface LockParts {
  /** Runs `body` with the lock, gives it back after that; rejects where it could not be had or kept. */
  readonly using: (body: (lost: AbortSignal) => Promise<void>) => Promise<void>;
  /** The connection that it is used on. */
  readonly redis: Redis;
  /** Between two calls of `using`. */
  readonly pauseMs: number;
  readonly changed: (isLeading: boolean) => void;
}

export function candidateOfLock({ using, redis, pauseMs, changed }: LockParts): BenchCandidate {
  redis.on('error', () => undefined);
  const ended = new AbortController();
  let held: AbortSignal | null = null;

  const lead = async (lost: AbortSignal): Promise<void> => {
    if (ended.signal.aborted) return;
    held = lost;
    changed(true);
    await aborted(AbortSignal.any([lost, ended.signal]));
    held = null;
    changed(false);
  };
  const campaign = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      // Refused or lost: both mean to try again.
      await using(lead).catch(() => undefined);
      if (!ended.signal.aborted) await sleep(pauseMs);
    }
  };
  const over = campaign();

  return {
    isLeading: () => held !== null && !held.aborted,
    async stop() {
      const gaveBack = held !== null;
      ended.abort();
      // A try that is still waiting ends by itself, since it finds the connection closed.
      if (gaveBack) await over;
      redis.disconnect();
    },
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
