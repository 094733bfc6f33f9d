/** One election whose leader leaves again and again, and comes back as a follower. */
import { setTimeout as sleep } from 'node:timers/promises';

import type { CandidateHost } from '../candidates/candidate-hosts.js';
import {
  begin,
  type Contest,
  join,
  LEADER,
  newElection,
  nextLeader,
  TTL_MS,
} from '../candidates/contest.js';
import { ReleaseLog } from '../candidates/release-log.js';

export interface HandOverOptions extends Pick<Contest, 'contestant' | 'server' | 'candidates'> {
  readonly hosts: readonly CandidateHost[];
  readonly repetitions: number;
}

export interface HandOver {
  readonly fromStopMs: number;
  readonly fromDeletionMs: number;
  readonly winnerCommands: number;
}

/** Between two hand-overs; and up to half a ttl more, so that those who poll are met in any phase. */
const REST_MS = 100;
/** Until the log has all. */
const LOG_MS = 20;

export async function handOvers(options: HandOverOptions): Promise<readonly HandOver[]> {
  const { contestant, server, hosts, repetitions } = options;
  const [leaderHost, ...followerHosts] = hosts;
  if (leaderHost === undefined) throw new Error('There is no process for the leader.');
  const election = newElection();
  const contest: Contest = { ...options, election, leaderHost, followerHosts };
  const relay = new Relay(contest);
  await begin(contest, 0);

  const log = await ReleaseLog.start(server);
  const samples: HandOver[] = [];
  try {
    while (samples.length < repetitions) {
      log.clear();
      const { toldAt, leadsAt } = await relay.passOn(REST_MS + (Math.random() * TTL_MS) / 2);
      await sleep(LOG_MS);
      const release = log.release(contestant.leaseKey(election));
      if (release === null) throw new Error(`${contestant.id} deleted no lease when it stopped.`);
      const { deletedAt, winnerCommands } = release;
      samples.push({
        fromStopMs: leadsAt - toldAt,
        fromDeletionMs: leadsAt - deletedAt,
        winnerCommands,
      });
    }
  } finally {
    log.end();
  }
  return samples;
}

/** Who leads at present, and hands over. */
class Relay {
  private name = LEADER;
  private host: CandidateHost;

  constructor(private readonly contest: Contest) {
    this.host = contest.leaderHost;
  }

  /** The one that left has come back when it resolves. */
  async passOn(afterMs: number): Promise<{ readonly toldAt: number; readonly leadsAt: number }> {
    const { election, leaderHost, followerHosts } = this.contest;
    const { name, host } = this;
    // Asked before it leaves: to be asked keeps a process busy.
    const [toldAt, next] = await Promise.all([
      sleep(afterMs).then(() => host.call('leave', { election, name })),
      nextLeader([leaderHost, ...followerHosts], election, name),
    ]);
    await join(this.contest, host, name, 0);
    this.name = next.name;
    this.host = next.host;
    return { toldAt, leadsAt: next.at };
  }
}
