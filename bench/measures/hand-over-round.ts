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
/** Until what Redis tells of a hand-over has been heard. */
const HEARD_MS = 30;
/** Of those that are asked for: a lease that was lost before its leader left is not handed over. */
const MOST_TRIES = 2;

export async function handOvers(options: HandOverOptions): Promise<HandOvers> {
  const { hosts, repetitions, counts } = options;
  const [leaderHost, ...followerHosts] = hosts;
  if (leaderHost === undefined) throw new Error('There is no process for the leader.');
  const contest: Contest = { ...options, election: newElection(), leaderHost, followerHosts };
  await begin(contest, 0);
  const relay = new Relay(contest);
  const times = await takeTimes(relay, contest, repetitions);
  return { ...times, winnerCommands: await countCommands(relay, contest, counts) };
}

async function takeTimes(
  relay: Relay,
  { contestant, server, election }: Contest,
  repetitions: number,
): Promise<Pick<HandOvers, 'fromStopMs' | 'fromDeletionMs'>> {
  const deletions = await DeletionListener.start(server, contestant.leaseKey(election));
  const fromStopMs: number[] = [];
  const fromDeletionMs: number[] = [];
  try {
    for (let tries = MOST_TRIES * repetitions; tries > 0; tries -= 1) {
      if (fromStopMs.length === repetitions) break;
      const { toldAt, leadsAt } = await relay.passOn(REST_MS + (Math.random() * TTL_MS) / 2);
      await sleep(HEARD_MS);
      if (leadsAt < toldAt || deletions.lastAt < toldAt) continue;
      fromStopMs.push(leadsAt - toldAt);
      fromDeletionMs.push(leadsAt - deletions.lastAt);
    }
  } finally {
    deletions.end();
  }
  return { fromStopMs, fromDeletionMs };
}

async function countCommands(
  relay: Relay,
  { contestant, server, election }: Contest,
  counts: number,
): Promise<readonly number[]> {
  const counted: number[] = [];
  for (let tries = MOST_TRIES * counts; tries > 0 && counted.length < counts; tries -= 1) {
    const commands = await WinnerCommands.start(server);
    try {
      await relay.passOn(REST_MS);
      await sleep(HEARD_MS);
      const count = commands.count(contestant.leaseKey(election));
      if (count !== null) counted.push(count);
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

  /** The one that left has come back when it resolves. Another one led before it left where the lease was lost. */
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
