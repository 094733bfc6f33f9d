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
} from '../../../lib/index.js';
import { sharedNowMs } from '../history/shared-clock.js';
import type { WorkerOptions, WorkResult } from './worker-protocol.js';

export interface WorkerAppParts {
  readonly options: WorkerOptions;
  readonly events: ElectionListener;
  /** Hears when a leader-only run begins. */
  readonly onRun: (epoch: number) => void;
}

const WAIT_STEP_MS = 5;

/** What is skipped where this worker does not lead gives undefined. */
@Injectable()
export class WorkerJobs {
  /** Set before the application is initialised. */
  onRun: (epoch: number) => void = () => undefined;

  constructor(private readonly leader: LeaderService) {}

  @Cron(CronExpression.EVERY_SECOND)
  @OnlyLeader()
  tick(): void {
    this.onRun(this.leader.current().epoch);
  }

  @OnlyLeader({ otherwise: 'skip' })
  touch(): boolean | undefined {
    return this.leader.current().epoch > 0;
  }

  @OnlyLeader({ otherwise: 'skip' })
  spin(ms: number): WorkResult | undefined {
    const startedAt = this.begin();
    block(ms);
    return this.result(startedAt);
  }

  @OnlyLeader({ otherwise: 'skip' })
  async sleep(ms: number): Promise<WorkResult | undefined> {
    const startedAt = this.begin();
    const { signal } = this.leader.current();
    while (sharedNowMs() - startedAt < ms && !signal.aborted) {
      await new Promise((resolve) => setTimeout(resolve, WAIT_STEP_MS));
    }
    return this.result(startedAt);
  }

  private begin(): number {
    this.onRun(this.leader.current().epoch);
    return sharedNowMs();
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
  static with({ options, events, onRun }: WorkerAppParts): DynamicModule {
    const election = LeaderElectionModule.forRoot({
      name: options.election,
      redis: options.redis,
      nodeId: options.node,
      leaseTtlMs: options.leaseTtlMs,
      drainTimeoutMs: options.drainTimeoutMs,
      holdOff: options.holdOff,
      events,
    });
    const jobs = {
      provide: WorkerJobs,
      inject: [LeaderService],
      useFactory: (leader: LeaderService) => Object.assign(new WorkerJobs(leader), { onRun }),
    };
    const heavy = {
      provide: HeavyStart,
      useFactory: () => Object.assign(new HeavyStart(), { spinMs: options.bootSpinMs ?? 0 }),
    };
    return {
      module: WorkerAppModule,
      imports: [ScheduleModule.forRoot(), election],
      providers: [jobs, heavy],
    };
  }
}

/** Blocks the event loop. */
export function block(ms: number): void {
  const until = sharedNowMs() + ms;
  while (sharedNowMs() < until);
}
