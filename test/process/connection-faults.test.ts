/** Real processes: a leader whose connection to Redis is cut, or goes silent, for longer than its lease. */
import { describe, expect, it } from '@jest/globals';

import { sharedNowMs } from '../../lib/index.js';
import { Cluster, sleep, sleepUntil } from '../support/process/cluster.js';
import { printTakeOvers } from '../support/process/report.js';
import type { WorkerProcess } from '../support/process/worker-process.js';

const TTL_MS = 2000;
const SLACK_MS = 1000;
const TIMES = 10;
const LEASE = 'leader-election:{default}:lease';

type Fault = 'cut' | 'silence';

/** Breaks the leader's connection for `brokenMs`, and looks at both sides of what follows. */
async function isolateLeader(cluster: Cluster, fault: Fault, brokenMs: number): Promise<void> {
  const leader = await cluster.leader();
  const network = cluster.network(leader);
  const after = sharedNowMs();
  network[fault]();
  const led = { after, withinMs: TTL_MS + SLACK_MS, except: leader.node };
  await cluster.takenOver(fault, led);
  // It has stopped by its own clock, well before the lease ended at the server.
  expect(lastBelief(leader)).toBeLessThan(after + TTL_MS);
  const next = await cluster.leader();
  expect(next.node).not.toBe(leader.node);
  await sleepUntil(after + brokenMs);

  const leaseBefore = await cluster.redis.admin.get(LEASE);
  network.heal();
  await sleep(150);
  expect(next.believes).toBe(true);
  // Back again, it leaves the lease of the next one alone.
  expect(await cluster.redis.admin.get(LEASE)).toBe(leaseBefore);
  expect(await leader.call('status', {})).toMatchObject({ isLeader: false });
}

function lastBelief({ history }: WorkerProcess): number {
  const ends = history.map((event) =>
    event.kind === 'belief' ? (event.until ?? event.at) : -Infinity,
  );
  return Math.max(...ends);
}

describe('a leader that cannot reach Redis', () => {
  it.concurrent(
    `S-08: stops before its lease ends when its connection is cut, ${TIMES} times`,
    () =>
      Cluster.run({ leaseTtlMs: TTL_MS }, async (cluster) => {
        await isolateLeader(cluster, 'cut', 2 * TTL_MS);
        for (let round = 1; round < TIMES; round += 1) {
          await isolateLeader(cluster, 'cut', TTL_MS + 100);
        }
        printTakeOvers(cluster.takeOvers);
      }),
    90_000,
  );

  it.concurrent(
    `S-08: stops before its lease ends when its connection goes silent both ways, ${TIMES} times`,
    () =>
      Cluster.run({ leaseTtlMs: TTL_MS }, async (cluster) => {
        await isolateLeader(cluster, 'silence', 2 * TTL_MS);
        for (let round = 1; round < TIMES; round += 1) {
          await isolateLeader(cluster, 'silence', TTL_MS + 100);
        }
        printTakeOvers(cluster.takeOvers);
      }),
    90_000,
  );

  it.concurrent(
    'keeps leading through cuts that are shorter than its lease, and loses nothing',
    () =>
      Cluster.run({ leaseTtlMs: TTL_MS }, async (cluster) => {
        const leader = await cluster.leader();
        const { epoch } = leader;
        for (let round = 0; round < 10; round += 1) {
          cluster.network(leader).cut();
          await sleep(300);
          cluster.network(leader).heal();
          await sleep(700);
        }
        expect(await leader.call('status', {})).toMatchObject({ isLeader: true, epoch, losses: 0 });
      }),
    60_000,
  );
});
