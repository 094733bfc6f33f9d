/** What every consumer does with the installed package; copied into its `src`. */
import 'reflect-metadata';
import { Controller, Get, Injectable, type INestApplication, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Interval, ScheduleModule } from '@nestjs/schedule';
import {
  isNotLeaderException,
  LeaderElectionModule,
  type LeaderElectionOptions,
  LeaderService,
  NotLeaderException,
  OnlyLeader,
} from 'nestjs-leader-election';

export interface ElectionReport {
  /** On which instances the interval job ran, in order, each leadership once. */
  readonly ranOn: string[];
  readonly epochsGrow: boolean;
  readonly statusOnLeader: number;
  readonly statusOnFollower: number;
  readonly refusedWith: string;
  readonly refusalIsInstance: boolean;
  readonly refusalIsBranded: boolean;
  readonly stateAfterClose: string;
}

/** Two applications on one store: one leads and works, the other refuses; the first closes, the second takes over. */
export async function checkElection(
  source: Pick<LeaderElectionOptions, 'redis' | 'store'>,
): Promise<ElectionReport> {
  const ran: Stint[] = [];
  const first = await start('first', source, ran);
  // Booting does not wait for an election: started at once, the second might win it.
  await until(() => ran.length === 1);
  const second = await start('second', source, ran);
  try {
    const statusOnLeader = await statusOf(first);
    const statusOnFollower = await statusOf(second);
    const refusal = refusalOf(second);
    const firstLeader = first.get(LeaderService);
    await first.close();
    await until(() => ran.length === 2);
    return {
      ranOn: ran.map(({ nodeId }) => nodeId),
      epochsGrow: ran.every(({ epoch }, index) => index === 0 || epoch > ran[index - 1]!.epoch),
      statusOnLeader,
      statusOnFollower,
      refusedWith: refusal instanceof Error ? refusal.name : String(refusal),
      refusalIsInstance: refusal instanceof NotLeaderException,
      refusalIsBranded: isNotLeaderException(refusal),
      stateAfterClose: firstLeader.state,
    };
  } finally {
    await first.close();
    await second.close();
  }
}

export const EXPECTED: ElectionReport = {
  ranOn: ['first', 'second'],
  epochsGrow: true,
  statusOnLeader: 200,
  statusOnFollower: 503,
  refusedWith: 'NotLeaderException',
  refusalIsInstance: true,
  refusalIsBranded: true,
  stateAfterClose: 'stopped',
};

interface Stint {
  readonly nodeId: string;
  readonly epoch: number;
}

abstract class Jobs {
  abstract settle(): string;
}

async function start(
  nodeId: string,
  source: Pick<LeaderElectionOptions, 'redis' | 'store'>,
  ran: Stint[],
): Promise<INestApplication> {
  @Injectable()
  class BillingJobs extends Jobs {
    constructor(private readonly leader: LeaderService) {
      super();
    }

    @OnlyLeader()
    @Interval(20)
    charge(): void {
      const { epoch, signal } = this.leader.current();
      if (!signal.aborted && ran.at(-1)?.epoch !== epoch) ran.push({ nodeId, epoch });
    }

    @OnlyLeader()
    settle(): string {
      return 'settled';
    }
  }

  @Controller()
  class BillingController {
    @Get()
    @OnlyLeader()
    report(): string {
      return nodeId;
    }
  }

  @Module({
    imports: [
      ScheduleModule.forRoot(),
      LeaderElectionModule.forRoot({ nodeId, leaseTtlMs: 2000, holdOff: 'never', ...source }),
    ],
    controllers: [BillingController],
    providers: [{ provide: Jobs, useClass: BillingJobs }],
  })
  class AppModule {}

  const app = await NestFactory.create(AppModule, { logger: ['error', 'warn'] });
  await app.listen(0, '127.0.0.1');
  return app;
}

async function statusOf(app: INestApplication): Promise<number> {
  const response = await fetch(await app.getUrl());
  await response.text();
  return response.status;
}

function refusalOf(app: INestApplication): unknown {
  try {
    return app.get(Jobs).settle();
  } catch (error) {
    return error;
  }
}

async function until(condition: () => boolean): Promise<void> {
  const giveUpAt = Date.now() + 10_000;
  while (!condition()) {
    if (Date.now() > giveUpAt) throw new Error('It did not come true within 10 s.');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
