/** This library, in an application of Nest. */
import 'reflect-metadata';

import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

import { LeaderElectionModule, LeaderService } from '../../lib/index.js';
import { DEFAULT_KEY_PREFIX, electionKeys } from '../../lib/stores/redis/redis-keys.js';
import { OURS } from '../ours.js';
import type { Contestant } from './contestant.interface.js';

@Module({})
class CandidateModule {}

export const ours: Contestant = {
  id: OURS,
  driven:
    'An application context of Nest with `LeaderElectionModule.forRoot({ name, redis, leaseTtlMs })`, asked by ' +
    '`isLeader`, heard by `leadership$`, ended by `app.close()`. Followers do not poll, so there is no interval to choose.',
  leaseKey: (election) => electionKeys(DEFAULT_KEY_PREFIX, election).lease,
  async start({ url, election, name, ttlMs, changed }) {
    const app = await NestFactory.createApplicationContext(
      {
        module: CandidateModule,
        imports: [
          LeaderElectionModule.forRoot({
            name: election,
            redis: url,
            nodeId: name,
            leaseTtlMs: ttlMs,
          }),
        ],
      },
      { logger: false },
    );
    const leader = app.get(LeaderService);
    let wasLeader = false;
    leader.leadership$.subscribe(({ isLeader }) => {
      if (isLeader !== wasLeader) changed(isLeader);
      wasLeader = isLeader;
    });
    return { isLeading: () => leader.isLeader, stop: () => app.close() };
  },
};
