/** This library, in an application of Nest. */
import { DEFAULT_KEY_PREFIX, electionKeys } from '../../lib/stores/redis/redis-keys.js';
import { OURS } from '../ours.js';
import type { Contestant } from './contestant.interface.js';

export const ours: Contestant = {
  id: OURS,
  driven:
    'An application context of Nest with `LeaderElectionModule.forRoot({ name, redis, leaseTtlMs })`, asked by ' +
    '`isLeader`, heard by `leadership$`, ended by `app.close()`. Followers do not poll, so there is no interval to choose.',
  leaseKey: (election) => electionKeys(DEFAULT_KEY_PREFIX, election).lease,
  async start(options) {
    // Here, as processes that host only others need no Nest.
    const { startApplication } = await import('./our-application.js');
    return startApplication(options);
  },
};
