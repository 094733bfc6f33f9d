/** Real processes: how many commands an election costs when nothing happens, and when everybody wants the lease. */
import { describe, expect, it } from '@jest/globals';

import { sharedNowMs } from '../../lib/index.js';
import { Cluster, sleep } from '../support/process/cluster.js';
import { print } from '../support/process/report.js';

const TTL_MS = 2000;
const RENEW_INTERVAL_MS = Math.floor(TTL_MS / 3);
const SLACK_MS = 1000;
const IDLE_MS = 20_000;
const CANDIDATES = 100;
/** The death of a leader brings one further round of tries, so it is looked at over several. */
const CROWD_TTLS = 4;

async function scriptCalls({ redis }: Cluster): Promise<number> {
  const stats = await redis.admin.info('commandstats');
  const calls = [...stats.matchAll(/^cmdstat_eval(?:sha)?:calls=(\d+)/gm)];
  return calls.reduce((sum, [, count]) => sum + Number(count), 0);
}

describe('what an election costs', () => {
  it.concurrent(
    'T-09: one command for each renewal, at most 1.2 for each follower and ttl, none for guarded calls',
    () =>
      Cluster.run({ leaseTtlMs: TTL_MS }, async (cluster) => {
        const leader = await cluster.leader();
        await Promise.all(cluster.workers.map((one) => one.call('hammer', { everyMs: 10 })));
        await sleep(TTL_MS);

        const renewalsBefore = (await leader.call('status', {})).renewals;
        const callsBefore = await scriptCalls(cluster);
        const startedAt = sharedNowMs();
        await sleep(IDLE_MS);
        const calls = (await scriptCalls(cluster)) - callsBefore;
        const idleMs = sharedNowMs() - startedAt;
        const { renewals: renewalsAfter, runs } = await leader.call('status', {});

        const renewals = renewalsAfter - renewalsBefore;
        const followers = cluster.followers(leader).length;
        const perTtl = (calls - renewals) / followers / (idleMs / TTL_MS);
        print(
          `idle for ${(idleMs / 1000).toFixed(1)} s, ttl ${TTL_MS} ms: ${calls} commands, ${renewals} of them renewals ` +
            `(one in ${Math.round(idleMs / renewals)} ms), ${perTtl.toFixed(2)} for each follower and ttl, ` +
            `with ${runs} guarded calls on the leader`,
        );
        expect(runs).toBeGreaterThan(1000);
        expect(renewals).toBeLessThanOrEqual(Math.ceil(idleMs / RENEW_INTERVAL_MS) + 1);
        expect(perTtl).toBeLessThanOrEqual(1.2);
      }),
    60_000,
  );

  it.concurrent(
    `L-18: at most one and a half commands a ttl for each of ${CANDIDATES} candidates when their leader dies`,
    () =>
      Cluster.run({ leaseTtlMs: TTL_MS, size: 1 }, async (cluster) => {
        const leader = await cluster.leader();
        await cluster.add({ kind: 'context', applications: CANDIDATES });
        await sleep(2 * TTL_MS);
        const before = await scriptCalls(cluster);
        const after = leader.signal('SIGKILL');
        // Some application leads next, not always the one that speaks; so the store is asked.
        const { admin } = cluster.redis;
        const lease = 'leader-election:{default}:lease';
        const old = await admin.get(lease);
        let now = old;
        while (now === old || now === null) now = await admin.get(lease);
        const tookMs = sharedNowMs() - after;
        await sleep(CROWD_TTLS * TTL_MS - tookMs);
        const calls = (await scriptCalls(cluster)) - before;
        print(
          `${CANDIDATES} candidates: led again after ${tookMs.toFixed(0)} ms, ${calls} commands in ${CROWD_TTLS} ttls`,
        );
        expect(tookMs).toBeLessThan(TTL_MS + SLACK_MS);
        expect(calls).toBeLessThanOrEqual(1.5 * CROWD_TTLS * CANDIDATES);
      }),
    60_000,
  );
});
