/** Elections with one leader, in a process of its own, and followers that share some processes. */
import type { Contestant } from '../contestants/contestant.interface.js';
import type { RedisServer } from '../../test/support/redis/redis-server.js';
import type { CandidateHost } from './candidate-hosts.js';
import type { Lead } from './hosting.js';

/** All are measured with this one. */
export const TTL_MS = 2000;
export const LEADER = 'candidate-1';

export interface Contest {
  readonly contestant: Contestant;
  readonly election: string;
  readonly server: RedisServer;
  readonly candidates: number;
  readonly leaderHost: CandidateHost;
  readonly followerHosts: readonly CandidateHost[];
}

let lastElection = 0;

export function newElection(): string {
  lastElection += 1;
  return `election-${lastElection}`;
}

/** The leader first, and when it leads the others, at times of their own: each polls in a phase of its own. */
export async function begin(contest: Contest, delayMs: number): Promise<void> {
  const { election, leaderHost, followerHosts, candidates } = contest;
  await join(contest, leaderHost, LEADER, delayMs);
  await leaderHost.call('leads', { election });
  const joins: Promise<void>[] = [];
  for (let number = 2; number <= candidates; number += 1) {
    const host = followerHosts[number % followerHosts.length];
    if (host === undefined) throw new Error('There is no process for followers.');
    joins.push(join(contest, host, `candidate-${number}`, (Math.random() * TTL_MS) / 2));
  }
  await Promise.all(joins);
}

export function join(
  { contestant, election, server }: Contest,
  host: CandidateHost,
  name: string,
  delayMs: number,
): Promise<void> {
  const { url } = server;
  const { id } = contestant;
  return host.call('join', { contestant: id, election, name, url, ttlMs: TTL_MS, delayMs });
}

/** The first of those hosts' candidates that leads. */
export async function nextLeader(
  hosts: readonly CandidateHost[],
  election: string,
  except?: string,
): Promise<Lead & { readonly host: CandidateHost }> {
  const request = except === undefined ? { election } : { election, except };
  return Promise.race(
    hosts.map(async (host) => ({ ...(await host.call('leads', request)), host })),
  );
}
