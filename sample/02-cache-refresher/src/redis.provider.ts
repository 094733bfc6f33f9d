import { Redis } from 'ioredis';

import { settings } from './settings.js';

export const REDIS = Symbol('REDIS');

/** The connection to the cache. The election has one of its own. */
export const redisProvider = {
  provide: REDIS,
  useFactory: (): Redis => {
    // Commands fail soon, rather than wait in a queue and run when somebody else may lead. All are tried again anyway.
    const redis = new Redis(settings.redisUrl, { maxRetriesPerRequest: 1, commandTimeout: 2_000 });
    // It connects again by itself, and each command that fails says so.
    return redis.on('error', () => undefined);
  },
};
