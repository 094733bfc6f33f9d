import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';

import { CacheService } from './cache.service.js';
import { settings } from './settings.js';

/** Reads the cache, on every instance, and says who refreshed it and when. */
@Injectable()
export class CacheReaderJob {
  private readonly logger = new Logger(CacheReaderJob.name);

  constructor(private readonly cache: CacheService) {}

  @Interval(settings.readIntervalMs)
  async read(): Promise<void> {
    const entry = await this.cache.read();
    if (entry === null) {
      this.logger.log('The cache is empty.');
      return;
    }
    const { refreshedAt, epoch, node } = entry;
    this.logger.log(`The cache was refreshed by ${node} (epoch ${epoch}) at ${refreshedAt}.`);
  }
}
