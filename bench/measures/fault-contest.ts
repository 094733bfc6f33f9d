/** Three candidates in three processes, each behind a network of its own, and a fault of the leader's. */
import { setTimeout as sleep } from 'node:timers/promises';

import { sharedNowMs } from '../../lib/index.js';
import type { RedisServer } from '../../test/support/redis/redis-server.js';
import { TcpProxy } from '../../test/support/redis/tcp-proxy.js';
import type { Interval } from '../candidates/belief.js';
import type { CandidateHost } from '../candidates/candidate-hosts.js';
import { newElection, TTL_MS } from '../candidates/contest.js';
import type { Contestant } from '../contestants/contestant.interface.js';
import { overlapMs, without } from './overlap.js';

/** Long enough for another to lead meanwhile, also one that tries each second. */
const STOPPED_FOR_MS = TTL_MS + 1000;
const WITHOUT_NETWORK_FOR_MS = 2 * TTL_MS;
/** For the old leader to notice. */
const WATCHED_FOR_MS = TTL_MS;

interface Place {
  readonly host: CandidateHost;
  readonly proxy: TcpProxy;
}

/** What becomes of the leader; returns when its process did not run. */
type Fault = (leader: Place) => Promise<Interval>;

const NEVER: Interval = { from: 0, until: 0 };

const withoutNetwork = async (proxy: TcpProxy): Promise<Interval> => {
  await sleep(WITHOUT_NETWORK_FOR_MS);
  proxy.heal();
  return NEVER;
};

export const FAULTS = {
  'stopped past its ttl and resumed': async ({ host }) => {
    const from = sharedNowMs();
    host.pause();
    await sleep(STOPPED_FOR_MS);
    const until = sharedNowMs();
    host.resume();
    return { from, until };
  },
  'connection cut': async ({ proxy }) => {
    proxy.cut();
    return withoutNetwork(proxy);
  },
  'connection silent': async ({ proxy }) => {
    proxy.silence();
    return withoutNetwork(proxy);
  },
} satisfies Record<string, Fault>;

export type FaultName = keyof typeof FAULTS;

export interface FaultContest {
  readonly contestant: Contestant;
  readonly server: RedisServer;
  readonly fault: FaultName;
  /** The first is to be the leader's. */
  readonly hosts: readonly CandidateHost[];
}

/**
 * For how many milliseconds two said to lead at once; null where nobody took over, so that it tells nothing. The hosts
 * watch their candidates already.
 */
export async function twoLeadersMs(contest: FaultContest): Promise<number | null> {
  const { server, hosts } = contest;
  return withProxies(hosts, server, async (places) => {
    const [leader] = places;
    if (leader === undefined) throw new Error('There are no candidates.');
    const election = newElection();
    await joinAll(contest, places, election);
    await sleep(TTL_MS / 2 + (Math.random() * TTL_MS) / 4);
    const fault: Fault = FAULTS[contest.fault];
    const began = sharedNowMs();
    const stopped = await fault(leader);
    await sleep(WATCHED_FOR_MS);
    const beliefs = await Promise.all(hosts.map((host) => host.call('beliefs', election)));
    const tookOver = beliefs.slice(1).some((its) => its.some(({ from }) => from > began));
    if (!tookOver) return null;
    return overlapMs(beliefs.map((its, index) => (index === 0 ? without(its, stopped) : its)));
  });
}

async function joinAll(
  { contestant: { id } }: FaultContest,
  places: readonly Place[],
  election: string,
): Promise<void> {
  for (const [index, { host, proxy }] of places.entries()) {
    await host.call('join', {
      contestant: id,
      election,
      name: `candidate-${index + 1}`,
      url: proxy.url,
      ttlMs: TTL_MS,
      delayMs: index === 0 ? 0 : (Math.random() * TTL_MS) / 4,
    });
    if (index === 0) await host.call('leads', { election });
  }
}

async function withProxies<T>(
  hosts: readonly CandidateHost[],
  { port }: RedisServer,
  use: (places: readonly Place[]) => Promise<T>,
): Promise<T> {
  const places = await Promise.all(
    hosts.map(async (host) => ({ host, proxy: await TcpProxy.start(port) })),
  );
  try {
    return await use(places);
  } finally {
    await Promise.all(places.map(({ proxy }) => proxy.close()));
  }
}
