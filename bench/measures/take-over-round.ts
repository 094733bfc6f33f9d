/** Some elections at the same time, each on a Redis of its own, whose leaders are killed at once. */
import { setTimeout as sleep } from 'node:timers/promises';

import { sharedNowMs } from '../../lib/index.js';
import type { RedisServer } from '../../test/support/redis/redis-server.js';
import { withHosts } from '../candidates/candidate-hosts.js';
import { begin, type Contest, newElection, nextLeader, TTL_MS } from '../candidates/contest.js';
import { countRequests } from '../candidates/count-requests.js';
import { leaseEnd } from '../candidates/lease-end.js';
import type { Contestant } from '../contestants/contestant.interface.js';

export interface TakeOver {
  readonly candidates: number;
  readonly beyondExpiryMs: number;
  readonly commandsPerCandidate: number;
}

/** What the dead process has still sent is done by then. */
const AFTER_KILL_MS = 20;
/** The burst is counted from so long before the expiry to so long after the take-over. */
const BEFORE_BURST_MS = 50;
const AFTER_BURST_MS = 300;

export interface RoundOptions {
  readonly contestant: Contestant;
  /** How many candidates each election has. */
  readonly elections: readonly number[];
  /** At least as many. */
  readonly servers: readonly RedisServer[];
  readonly followerHosts: number;
}

/** Without the elections whose lease ended before it could be read. */
export async function takeOverRound(options: RoundOptions): Promise<readonly TakeOver[]> {
  const { contestant, elections, servers, followerHosts } = options;
  return withHosts(followerHosts + elections.length, async (hosts) => {
    const followers = hosts.slice(0, followerHosts);
    const contests = elections.map((candidates, index): Contest => {
      const server = servers[index];
      const leaderHost = hosts[followerHosts + index];
      if (!server || !leaderHost) throw new Error('Each election needs a server and a process.');
      const election = newElection();
      return { contestant, election, server, candidates, leaderHost, followerHosts: followers };
    });
    // Apart from each other, so that no two leases end at the same time.
    const apartMs = TTL_MS / 3 / contests.length;
    await Promise.all(contests.map((contest, index) => begin(contest, index * apartMs)));
    await sleep(TTL_MS / 4 + (Math.random() * TTL_MS) / 4);
    const all = await Promise.all(contests.map(takeOver));
    return all.filter((one) => one !== null);
  });
}

async function takeOver(contest: Contest): Promise<TakeOver | null> {
  const { contestant, election, server, candidates, leaderHost, followerHosts } = contest;
  const { admin } = server;
  await leaderHost.kill();
  await sleep(AFTER_KILL_MS);
  const readAt = sharedNowMs();
  const end = await leaseEnd(admin, contestant.leaseKey(election));
  if (end === null) return null;
  await sleep(end - BEFORE_BURST_MS - sharedNowMs());
  const requests = await countRequests(admin);
  const { at } = await nextLeader(followerHosts, election);
  // What was read may have been the next leader's already.
  if (at < readAt) return null;
  await sleep(AFTER_BURST_MS);
  const commandsPerCandidate = (await requests()) / candidates;
  return { candidates, beyondExpiryMs: at - end, commandsPerCandidate };
}
