/** Real processes: a Redis that crashes, comes back without its data, or stays away. */
import { describe, expect, it } from '@jest/globals';

import { awaitUntil } from '../support/await-until.js';
import { sharedNowMs } from '../../lib/index.js';
import { Cluster, sleep } from '../support/process/cluster.js';
import { print, printTakeOvers } from '../support/process/report.js';

const TTL_MS = 2000;
const SLACK_MS = 1000;
const RESTARTS = 10;
/** With the leader stopped meanwhile: whoever is next must not come before its lease is surely over. */
const RESTARTS_UNSEEN = 3;
const SHORT_TTL_MS = 1000;
const LOSSES = 20;
const LEASE = 'leader-election:{default}:lease';

describe('a Redis that restarts', () => {
  it.concurrent(
    `empty leaves one leader and no epoch twice, ${RESTARTS} times`,
    () =>
      Cluster.run({ leaseTtlMs: TTL_MS }, async (cluster) => {
        for (let round = 0; round < RESTARTS; round += 1) {
          await cluster.leader();
          await cluster.redis.restartEmpty();
          // Most often the leader writes its lease back; else everybody waits for a ttl first.
          await cluster.takenOver('an empty restart', {
            after: sharedNowMs(),
            withinMs: 2 * TTL_MS + SLACK_MS,
          });
          await sleep(700);
        }
        for (let round = 0; round < RESTARTS_UNSEEN; round += 1) {
          const leader = await cluster.leader();
          const after = leader.signal('SIGSTOP');
          await cluster.redis.restartEmpty();
          await cluster.takenOver('an empty restart while the leader is stopped', {
            after,
            withinMs: 2 * TTL_MS + 2 * SLACK_MS,
            except: leader.node,
          });
          leader.signal('SIGCONT');
          await sleep(200);
        }
        printTakeOvers(cluster.takeOvers);
      }),
    90_000,
  );

  it.concurrent(
    'F-16: twice still wakes followers at once when the lease is released',
    () =>
      Cluster.run({ leaseTtlMs: TTL_MS }, async (cluster) => {
        await cluster.redis.restart();
        await cluster.leader();
        await cluster.redis.restart();
        await cluster.leader();
        // A leader that kept its lease has not ended the hold-off for those who would be next.
        await sleep(2 * TTL_MS + SLACK_MS);
        const leader = await cluster.leader();
        const after = sharedNowMs();
        await leader.call('stepDown', { cooldownMs: 5 * TTL_MS });
        const led = { after, withinMs: SLACK_MS / 2, except: leader.node };
        await cluster.takenOver('stepDown() after two restarts', led);
        printTakeOvers(cluster.takeOvers);
      }),
    60_000,
  );

  it.concurrent(
    'L-14: after six ttls away finds the same processes alive, and a leader among them',
    () =>
      Cluster.run({ leaseTtlMs: TTL_MS, kind: 'http' }, async (cluster) => {
        await cluster.redis.admin.save();
        const before = cluster.workers;
        await cluster.redis.kill();
        await sleep(6 * TTL_MS);
        for (const worker of before) {
          const { port, isLeader, state } = await worker.call('status', {});
          expect({ isLeader, state }).toEqual({ isLeader: false, state: 'candidate' });
          // The HTTP server answers, if only that there is no such page.
          expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(404);
        }
        await cluster.redis.launch();
        // A restarted server is waited for one ttl; the lease of before has long run out.
        const led = { after: sharedNowMs(), withinMs: TTL_MS + SLACK_MS };
        await cluster.takenOver('an outage of six ttls', led);
        expect(cluster.workers).toEqual(before);
        printTakeOvers(cluster.takeOvers);
      }),
    60_000,
  );

  it.concurrent(
    `L-02, L-03: every instance can lead again after it lost, through ${LOSSES} losses, and keeps it then`,
    () =>
      Cluster.run({ leaseTtlMs: SHORT_TTL_MS }, async (cluster) => {
        const lost = new Set<string>();
        const ledAgain = new Set<string>();
        // Chance decides who is next, so it goes on until all three have had their turn.
        for (let round = 0; round < LOSSES || (ledAgain.size < 3 && round < 60); round += 1) {
          const leader = await cluster.leader();
          if (lost.has(leader.node)) ledAgain.add(leader.node);
          const after = sharedNowMs();
          await cluster.redis.admin.del(LEASE);
          await awaitUntil(() => !leader.believes, { what: 'the leader notices its loss' });
          lost.add(leader.node);
          await cluster.takenOver('a deleted lease', {
            after: Math.max(after, sharedNowMs()),
            withinMs: SHORT_TTL_MS + SLACK_MS,
          });
        }
        expect(ledAgain.size).toBe(3);

        const leader = await cluster.leader();
        const before = await leader.call('status', {});
        await sleep(10 * SHORT_TTL_MS);
        const after = await leader.call('status', {});
        expect(after).toMatchObject({ isLeader: true, epoch: before.epoch, losses: before.losses });
        const renewals = after.renewals - before.renewals;
        print(`L-03: ${renewals} renewals in ten ttls`);
        expect(renewals).toBeGreaterThanOrEqual(28);
        expect(renewals).toBeLessThanOrEqual(31);
        printTakeOvers(cluster.takeOvers);
      }),
    120_000,
  );
});
