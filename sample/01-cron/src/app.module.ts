import { Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { LeaderElectionModule } from 'nestjs-leader-election';

import { TickJob } from './tick.job.js';

@Module({
  imports: [
    ScheduleModule.forRoot(),
    LeaderElectionModule.forRoot({
      name: 'cron-sample',
      redis: process.env.REDIS_URL ?? 'redis://localhost:6379',
    }),
  ],
  providers: [TickJob],
})
export class AppModule {}
