/** Real processes: leaders that are stopped, blocked or starved, and find out when they go on. */
import { describe, expect, it } from '@jest/globals';

import { sharedNowMs } from '../../lib/index.js';
import { Cluster, sleepUntil } from '../support/process/cluster.js';
import { printTakeOvers } from '../support/process/report.js';

const TTL_MS = 2000;
const SLACK_MS = 1000;
const STOPS = 10;

describe('a leader that pauses', () => {
  it.concurrent(
    `says no at its first look after SIGSTOP past the ttl and SIGCONT, ${STOPS} times`,
    () =>
      Cluster.run({ leaseTtlMs: TTL_MS }, async (cluster) => {
        for (let round = 0; round < STOPS; round += 1) {
          const leader = await cluster.leader();
          const after = leader.signal('SIGSTOP');
          const led = { after, withinMs: TTL_MS + SLACK_MS, except: leader.node };
          await cluster.takenOver('SIGSTOP', led);
          await sleepUntil(after + TTL_MS + 100);
          leader.signal('SIGCONT');
          const { isLeader } = await leader.call('status', {});
          expect(isLeader).toBe(false);
          const said = leader.history.filter(
            ({ kind, at }) => kind === 'belief' && at > after + 50,
          );
          expect(said).toEqual([]);
          const ended = leader.history.filter(
            ({ kind, at }) => kind === 'ended' && at > after + TTL_MS,
          );
          expect(ended).toMatchObject([{ reason: 'expired' }]);
        }
        printTakeOvers(cluster.takeOvers);
      }),
    60_000,
  );

  it.concurrent(
    'S-09: skips the first guarded call after its loop was blocked for two ttls, and says so once',
    () =>
      Cluster.run({ leaseTtlMs: TTL_MS }, async (cluster) => {
        const leader = await cluster.leader();
        const before = await leader.call('status', {});
        const after = sharedNowMs();
        const spinning = leader.call('spin', { ms: 2 * TTL_MS });
        const led = { after, withinMs: TTL_MS + SLACK_MS, except: leader.node };
        await cluster.takenOver('a blocked loop', led);
        expect(await spinning).toEqual({ leaderAfter: false, ranAfter: false });
        expect(await leader.call('status', {})).toMatchObject({
          isLeader: false,
          losses: before.losses + 1,
        });
        expect((await cluster.leader()).node).not.toBe(leader.node);
      }),
    30_000,
  );

  it.concurrent(
    'T-01: knows at the end of a run that blocked the loop for three ttls, in the same tick, that it leads no more',
    () =>
      Cluster.run({ leaseTtlMs: TTL_MS }, async (cluster) => {
        const leader = await cluster.leader();
        const after = sharedNowMs();
        const working = leader.call('work', { ms: 3 * TTL_MS, how: 'spin' });
        const led = { after, withinMs: TTL_MS + SLACK_MS, except: leader.node };
        await cluster.takenOver('a run that blocks', led);
        expect(await working).toMatchObject({ ran: true, leaderAtEnd: false });
      }),
    30_000,
  );

  it.concurrent(
    'T-07: changes leaders at most once when a start blocks the loop for one and a half ttls',
    () =>
      Cluster.run({ leaseTtlMs: TTL_MS, bootSpinMs: 1.5 * TTL_MS, size: 2 }, async (cluster) => {
        const first = await cluster.leader();
        await sleepUntil(sharedNowMs() + 2 * TTL_MS);
        const grants = cluster.history.filter(({ kind }) => kind === 'granted');
        expect(grants.length).toBeLessThanOrEqual(2);
        expect(first.running).toBe(true);
        const statuses = await Promise.all(cluster.workers.map((one) => one.call('status', {})));
        expect(statuses.filter(({ isLeader }) => isLeader)).toHaveLength(1);
        expect(Math.max(...statuses.map(({ losses }) => losses))).toBeLessThanOrEqual(1);
      }),
    30_000,
  );
});
