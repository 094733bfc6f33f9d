/** Locks of redlock by `using`, which extends them. */
import { once } from 'node:events';

import { Redis } from 'ioredis';

import { peer } from '../../peer.js';
import { holdEach } from './hold-each.js';
import type { Holder } from './holder.interface.js';

/** What is used of it. */
interface Redlock {
  on(event: 'error', listener: () => void): void;
  using(
    resources: string[],
    durationMs: number,
    routine: (signal: AbortSignal) => Promise<void>,
  ): Promise<void>;
}

interface RedlockModule {
  readonly default: new (clients: Redis[]) => Redlock;
}

const EXTENDS_BEFORE_MS = 500;
const DRIFT_PART_OF_TTL = 0.01;
const DRIFT_MS = 2;

export const redlock: Holder = {
  id: 'redlock',
  driven: '`using` each on one client, extended 500 ms before the end, which is its default',
  periodMs: (ttlMs) => ttlMs - Math.round(DRIFT_PART_OF_TTL * ttlMs) - DRIFT_MS - EXTENDS_BEFORE_MS,
  open(options) {
    const { default: Redlock } = peer<RedlockModule>('redlock');
    const locks = new Redlock([new Redis(options.url)]);
    // Without a listener it would end the process where a try fails.
    locks.on('error', () => undefined);
    return holdEach(
      options,
      (key, lost) =>
        new Promise((resolve, reject) => {
          const untilLost = (signal: AbortSignal): Promise<void> => {
            resolve();
            return once(signal, 'abort').then(lost);
          };
          locks.using([key], options.ttlMs, untilLost).catch(reject);
        }),
    );
  },
};
