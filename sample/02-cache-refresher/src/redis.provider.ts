import { Logger } from '@nestjs/common';
import { Redis } from 'ioredis';

import { settings } from './settings.js';

export const REDIS = Symbol('REDIS');

/** The connection to the cache. The election has one of its own. */
export const redisProvider = {
  provide: REDIS,
  useFactory: (): Redis => {
    const logger = new Logger('Redis');
    // A read or write that fails soon, rather than one that runs much later, when somebody else may lead.
    const redis = new Redis(settings.redisUrl, {
      maxRetriesPerRequest: 1,
      autoResendUnfulfilledCommands: false,
      commandTimeout: 2_000,
    });
    return redis.on('error', (error: Error) => logger.warn(`${error.name}: ${error.message}`));
  },
};
