import { Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import type { Redis } from 'ioredis';
import { LeaderElectionModule } from 'nestjs-leader-election';

import { CacheReaderJob } from './cache-reader.job.js';
import { CacheRefreshJob } from './cache-refresh.job.js';
import { CacheService } from './cache.service.js';
import { HealthController } from './health.controller.js';
import { REDIS, redisProvider } from './redis.provider.js';
import { settings } from './settings.js';
import { StatusController } from './status.controller.js';

@Module({
  imports: [
    ScheduleModule.forRoot(),
    LeaderElectionModule.forRoot({
      name: 'cache-refresher',
      redis: settings.redisUrl,
      nodeId: settings.nodeId,
      leaseTtlMs: settings.leaseTtlMs,
      drainTimeoutMs: settings.drainTimeoutMs,
      metadata: { port: String(settings.port) },
    }),
  ],
  controllers: [HealthController, StatusController],
  providers: [redisProvider, CacheService, CacheRefreshJob, CacheReaderJob],
})
export class AppModule implements OnApplicationShutdown {
  constructor(@Inject(REDIS) private readonly redis: Redis) {}

  /** Last of all: a refresh that is drained before this still writes. */
  onApplicationShutdown(): void {
    this.redis.disconnect();
  }
}
