/** Real processes: jobs that run once in the whole cluster, and jobs that are still running when their leader ends. */
import { describe, expect, it } from '@jest/globals';

import { sharedNowMs } from '../../lib/index.js';
import { Cluster, sleep } from '../support/process/cluster.js';
import { print, printTakeOvers } from '../support/process/report.js';

const TTL_MS = 2000;
const SLACK_MS = 1000;
const TICKS = 25;
const LEASE = 'leader-election:{default}:lease';

/** In which second of the wall clock each run of the job was, as its cron has it. */
function ticksOf(cluster: Cluster): readonly number[] {
  const wallMinusSharedMs = Date.now() - sharedNowMs();
  return cluster.history
    .filter(({ kind }) => kind === 'run')
    .map(({ at }) => Math.round((at + wallMinusSharedMs) / 1000));
}

describe('a job of the leader', () => {
  it.concurrent(
    `J-01: runs exactly once in each of ${TICKS} seconds, in four processes`,
    () =>
      Cluster.run({ leaseTtlMs: TTL_MS, size: 4 }, async (cluster) => {
        await sleep((TICKS + 1) * 1000);
        const ticks = [...ticksOf(cluster)];
        ticks.sort((a, b) => a - b);
        const first = ticks[0] ?? 0;
        expect(ticks.length).toBeGreaterThanOrEqual(TICKS);
        expect(ticks).toEqual(ticks.map((_, index) => first + index));
        const statuses = await Promise.all(cluster.workers.map((one) => one.call('status', {})));
        expect(statuses.filter(({ runs }) => runs > 0)).toHaveLength(1);
        print(`J-01: ${ticks.length} ticks, ${ticks.length} runs, 4 processes`);
      }),
    60_000,
  );

  it.concurrent(
    'J-02, J-04: keeps the lease on SIGTERM until a run of three ttls has ended, and only then hands over',
    () =>
      Cluster.run({ leaseTtlMs: TTL_MS, drainTimeoutMs: 10_000 }, async (cluster) => {
        const leader = await cluster.leader();
        const { epoch } = leader;
        const working = leader.call('work', { ms: 3 * TTL_MS, how: 'sleep' });
        await sleep(300);
        leader.signal('SIGTERM');
        // Held, and renewed, all the time.
        for (let second = 1; second <= 5; second += 1) {
          await sleep(1000);
          expect(await cluster.redis.admin.get(LEASE)).toContain(`|${epoch}`);
          expect(await cluster.redis.admin.pttl(LEASE)).toBeGreaterThan(TTL_MS / 2);
        }
        const { ran, endedAt, leaderAtEnd, abortedAtEnd } = await working;
        expect({ ran, leaderAtEnd, abortedAtEnd }).toEqual({
          ran: true,
          leaderAtEnd: true,
          abortedAtEnd: false,
        });
        const led = { after: endedAt, withinMs: SLACK_MS, except: leader.node };
        await cluster.takenOver('the end of a drain', led);
        const next = await cluster.leader();
        const [firstRun] = next.history.filter(({ kind }) => kind === 'granted' || kind === 'run');
        expect(firstRun?.at).toBeGreaterThan(endedAt);
        // Not a single job began on the old leader once it was told to end.
        const lateRuns = leader.history.filter(
          ({ kind, at }) => kind === 'run' && at > endedAt - 3 * TTL_MS + 500,
        );
        expect(lateRuns).toEqual([]);
        printTakeOvers(cluster.takeOvers);
      }),
    60_000,
  );

  it.concurrent(
    'L-15: does not hold up the next leader, however long it would have run, when its process is killed',
    () =>
      Cluster.run({ leaseTtlMs: TTL_MS }, async (cluster) => {
        const leader = await cluster.leader();
        const work = leader.call('work', { ms: 3_600_000, how: 'sleep' });
        const cutShort = expect(work).rejects.toThrow('has ended');
        await sleep(500);
        const after = leader.signal('SIGKILL');
        await cluster.takenOver('kill -9 in a long job', { after, withinMs: TTL_MS + SLACK_MS });
        await cutShort;
        printTakeOvers(cluster.takeOvers);
      }),
    30_000,
  );
});
