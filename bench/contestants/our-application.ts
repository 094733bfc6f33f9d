/** One application of Nest with this library in it. */
import 'reflect-metadata';

import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

import { LeaderElectionModule, LeaderService } from '../../lib/index.js';
import type { BenchCandidate, CandidateOptions } from './contestant.interface.js';

@Module({})
class CandidateModule {}

export async function startApplication(options: CandidateOptions): Promise<BenchCandidate> {
  const { url, election, name, ttlMs, changed } = options;
  const root = LeaderElectionModule.forRoot({
    name: election,
    redis: url,
    nodeId: name,
    leaseTtlMs: ttlMs,
  });
  const app = await NestFactory.createApplicationContext(
    { module: CandidateModule, imports: [root] },
    { logger: false },
  );
  const leader = app.get(LeaderService);
  let wasLeader = false;
  leader.leadership$.subscribe(({ isLeader }) => {
    if (isLeader !== wasLeader) changed(isLeader);
    wasLeader = isLeader;
  });
  return { isLeading: () => leader.isLeader, stop: () => app.close() };
}
