/** An application with leader-only work that does next to nothing. */
import { type INestApplicationContext, Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

import {
  getLeaderToken,
  InMemoryLeaseStore,
  LeaderElectionModule,
  LeaderService,
  OnlyLeader,
} from '../../lib/index.js';

export type Part = 'leader' | 'follower';

@Injectable()
export class Jobs {
  done = 0;

  constructor(readonly leader: LeaderService) {}

  plain(amount: number): number {
    this.done += amount;
    return this.done;
  }

  async plainAsync(amount: number): Promise<number> {
    this.done += amount;
    return this.done;
  }

  @OnlyLeader({ otherwise: 'skip' })
  guarded(amount: number): number {
    this.done += amount;
    return this.done;
  }

  @OnlyLeader({ otherwise: 'skip' })
  async guardedAsync(amount: number): Promise<number> {
    this.done += amount;
    return this.done;
  }
}

/** Resolves when it is the part that it is asked to be. Ends with its process. */
export async function startJobs(part: Part, elections: number): Promise<Jobs> {
  const names = Array.from({ length: elections - 1 }, (_, index) => `election-${index}`);
  const store = new InMemoryLeaseStore();

  @Module({
    imports: [
      LeaderElectionModule.forRoot({ store, campaign: part === 'leader' }),
      ...names.map((name) => LeaderElectionModule.forFeature(name)),
    ],
    providers: [Jobs],
  })
  class AppModule {}

  const app = await NestFactory.createApplicationContext(AppModule, {
    logger: ['warn', 'error', 'fatal'],
  });
  const jobs = app.get(Jobs);
  const services = [jobs.leader, ...names.map((name) => serviceOf(app, name))];
  if (part === 'leader') await Promise.all(services.map((service) => service.whenLeader()));
  // Each has been used when the measuring begins.
  for (const service of services) {
    service.runIfLeader(() => undefined);
    if (service.isLeader !== (part === 'leader')) throw new Error(`Not the ${part}.`);
  }
  return jobs;
}

function serviceOf(app: INestApplicationContext, name: string): LeaderService {
  return app.get<LeaderService>(getLeaderToken(name), { strict: false });
}
