/** The application that runs in a worker process: a cron job, and leader-only methods that a test calls. */
import {
  type DynamicModule,
  Injectable,
  Module,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Cron, CronExpression, ScheduleModule } from '@nestjs/schedule';

import {
  type ElectionListener,
  LeaderElectionModule,
  LeaderService,
  OnlyLeader,
  sharedNowMs,
} from '../../../lib/index.js';
import type { WorkerOptions, WorkResult } from './worker-protocol.js';
import { redisSourceOf } from './worker-redis.js';

export interface WorkerAppParts {
  readonly options: WorkerOptions;
  readonly events: ElectionListener;
}

const WAIT_STEP_MS = 5;

/** What is skipped where this worker does not lead gives undefined. */
@Injectable()
export class WorkerJobs {
  constructor(private readonly leader: LeaderService) {}

  @Cron(CronExpression.EVERY_SECOND)
  @OnlyLeader()
  tick(): void {
    // That it ran is what the test hears.
  }

  @OnlyLeader({ otherwise: 'skip' })
  touch(): boolean | undefined {
    return this.leader.current().epoch > 0;
  }

  @OnlyLeader({ otherwise: 'skip' })
  spin(ms: number): WorkResult | undefined {
    const startedAt = sharedNowMs();
    block(ms);
    return this.result(startedAt);
  }

  @OnlyLeader({ otherwise: 'skip' })
  async sleep(ms: number): Promise<WorkResult | undefined> {
    const startedAt = sharedNowMs();
    const { signal } = this.leader.current();
    while (sharedNowMs() - startedAt < ms && !signal.aborted) {
      await new Promise((resolve) => setTimeout(resolve, WAIT_STEP_MS));
    }
    return this.result(startedAt);
  }

  private result(startedAt: number): WorkResult {
    const leaderAtEnd = this.leader.isLeader;
    const abortedAtEnd = this.leader.current().signal.aborted;
    return { ran: true, startedAt, endedAt: sharedNowMs(), leaderAtEnd, abortedAtEnd };
  }
}

/** Somebody else's provider that warms a cache while the application starts. */
@Injectable()
export class HeavyStart implements OnApplicationBootstrap {
  spinMs = 0;

  onApplicationBootstrap(): void {
    block(this.spinMs);
  }
}

@Module({})
export class WorkerAppModule {
  static with({ options, events }: WorkerAppParts): DynamicModule {
    const election = LeaderElectionModule.forRoot({
      name: options.election,
      redis: redisSourceOf(options.redis),
      nodeId: options.node,
      leaseTtlMs: options.leaseTtlMs,
      drainTimeoutMs: options.drainTimeoutMs,
      holdOff: options.holdOff,
      minReplicaAcks: options.minReplicaAcks,
      events,
    });
    const heavy = {
      provide: HeavyStart,
      useFactory: () => Object.assign(new HeavyStart(), { spinMs: options.bootSpinMs ?? 0 }),
    };
    return {
      module: WorkerAppModule,
      imports: [ScheduleModule.forRoot(), election],
      providers: [WorkerJobs, heavy],
    };
  }
}

/** Blocks the event loop. */
export function block(ms: number): void {
  const until = sharedNowMs() + ms;
  while (sharedNowMs() < until);
}
