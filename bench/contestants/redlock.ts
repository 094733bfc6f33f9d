/** redlock 5.0.0-beta.2. */
import { Redis } from 'ioredis';

import { peer } from '../peer.js';
import { candidateOfLock } from './candidate-of-lock.js';
import type { Contestant } from './contestant.interface.js';

interface Settings {
  readonly driftFactor: number;
  readonly retryCount: number;
  readonly retryDelay: number;
  readonly retryJitter: number;
  readonly automaticExtensionThreshold: number;
}

interface Redlock {
  using(
    resources: string[],
    ttlMs: number,
    routine: (signal: AbortSignal) => Promise<void>,
  ): Promise<void>;
}

interface Package {
  default: new (clients: Redis[], settings: Settings) => Redlock;
}

/** As its README configures it. */
const SETTINGS: Settings = {
  driftFactor: 0.01,
  retryCount: 10,
  retryDelay: 200,
  retryJitter: 200,
  automaticExtensionThreshold: 500,
};

const leaseKey = (election: string): string => `leader:${election}`;

export const redlock: Contestant = {
  id: 'redlock',
  driven:
    '`redlock.using([key], ttl, routine)` with its automatic extension and the settings of its README: a try every ' +
    '200 ± 200 ms, eleven of them, then `using` again. Leads while the routine runs and `signal` has not aborted.',
  leaseKey,
  start({ url, election, ttlMs, changed, retryEveryMs }) {
    const { default: Redlock } = peer<Package>('redlock');
    const redis = new Redis(url);
    const settings =
      retryEveryMs === undefined
        ? SETTINGS
        : { ...SETTINGS, retryDelay: retryEveryMs, retryJitter: retryEveryMs / 10 };
    const lock = new Redlock([redis], settings);
    return Promise.resolve(
      candidateOfLock({
        using: (body) => lock.using([leaseKey(election)], ttlMs, body),
        redis,
        pauseMs: settings.retryDelay,
        changed,
      }),
    );
  },
};
