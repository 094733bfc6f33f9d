/** The application of the demo: one job each second, on the leader only. Each process runs all of this. */
import { type DynamicModule, Injectable, Module } from '@nestjs/common';
import { Cron, CronExpression, ScheduleModule } from '@nestjs/schedule';

import { LeaderElectionModule, type LeaderElectionOptions, OnlyLeader } from '../../lib/index.js';

@Injectable()
export class DemoJob {
  @Cron(CronExpression.EVERY_SECOND)
  @OnlyLeader()
  run(): void {
    // That it ran is what the demo shows.
  }
}

@Module({})
export class DemoAppModule {
  static with(options: LeaderElectionOptions): DynamicModule {
    return {
      module: DemoAppModule,
      imports: [ScheduleModule.forRoot(), LeaderElectionModule.forRoot(options)],
      providers: [DemoJob],
    };
  }
}
