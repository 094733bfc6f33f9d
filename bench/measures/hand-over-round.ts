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
import { DeletionListener } from '../candidates/lease-deletion.js';
import { WinnerCommands } from '../candidates/winner-commands.js';

export interface HandOverOptions extends Pick<Contest, 'contestant' | 'server' | 'candidates'> {
  readonly hosts: readonly CandidateHost[];
  readonly repetitions: number;
  /** How often the commands are counted, after the times have been taken. */
  readonly counts: number;
}

export interface HandOvers {
  readonly fromStopMs: readonly number[];
  readonly fromDeletionMs: readonly number[];
  readonly winnerCommands: readonly number[];
}

/** Between two hand-overs; and up to half a ttl more, so that those who poll are met in any phase. */
const REST_MS = 100;
/** Until MONITOR has told all. */
const MONITOR_MS = 50;

export async function handOvers(options: HandOverOptions): Promise<HandOvers> {
  const { contestant, server, hosts, repetitions, counts } = options;
  const [leaderHost, ...followerHosts] = hosts;
  if (leaderHost === undefined) throw new Error('There is no process for the leader.');
  const election = newElection();
  const contest: Contest = { ...options, election, leaderHost, followerHosts };
  const relay = new Relay(contest);
  await begin(contest, 0);

  const deletions = await DeletionListener.start(server, contestant.leaseKey(election));
  const fromStopMs: number[] = [];
  const fromDeletionMs: number[] = [];
  try {
    while (fromStopMs.length < repetitions) {
      const restMs = REST_MS + (Math.random() * TTL_MS) / 2;
      const [deletedAt, { toldAt, leadsAt }] = await Promise.all([
        deletions.next(),
        relay.passOn(restMs),
      ]);
      fromStopMs.push(leadsAt - toldAt);
      fromDeletionMs.push(leadsAt - deletedAt);
    }
  } finally {
    deletions.end();
  }
  return { fromStopMs, fromDeletionMs, winnerCommands: await count(relay, contest, counts) };
}

async function count(
  relay: Relay,
  { contestant, server, election }: Contest,
  counts: number,
): Promise<readonly number[]> {
  const counted: number[] = [];
  while (counted.length < counts) {
    const commands = await WinnerCommands.start(server);
    try {
      await relay.passOn(REST_MS);
      await sleep(MONITOR_MS);
      counted.push(commands.count(contestant.leaseKey(election)));
    } finally {
      commands.end();
    }
  }
  return counted;
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
