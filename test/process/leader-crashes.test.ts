/** Real processes: leaders that are killed, or asked to end. */
import { describe, it } from '@jest/globals';

import { Cluster, sleep } from '../support/process/cluster.js';
import { printTakeOvers } from '../support/process/report.js';

const TTL_MS = 2000;
/** How much later than it should a busy machine may be. */
const SLACK_MS = 1000;
const KILLS = 10;
const TERMS = 10;

describe('a leader that ends', () => {
  // Two clusters side by side, since most of the time is spent waiting.
  it.concurrent.each([1, 2])(
    `L-10: is followed within a ttl after kill -9, ${KILLS} times (cluster %i)`,
    () =>
      Cluster.run({ leaseTtlMs: TTL_MS }, async (cluster) => {
        for (let round = 0; round < KILLS; round += 1) {
          const leader = await cluster.leader();
          // At any point of its renewal interval.
          await sleep(Math.random() * (TTL_MS / 3));
          const after = leader.signal('SIGKILL');
          await Promise.all([
            cluster.add(),
            cluster.takenOver('SIGKILL', { after, withinMs: TTL_MS + SLACK_MS }),
          ]);
        }
        printTakeOvers(cluster.takeOvers);
      }),
    120_000,
  );

  it.concurrent(
    `N-14, N-15: hands over well within a second on SIGTERM with shutdown hooks, ${TERMS} times`,
    () =>
      Cluster.run({ leaseTtlMs: TTL_MS, size: 4 }, async (cluster) => {
        let replaced = Promise.resolve<unknown>(null);
        for (let round = 0; round < TERMS; round += 1) {
          const leader = await cluster.leader();
          const after = leader.signal('SIGTERM');
          // Impatient: a second signal changes nothing.
          if (round % 2 === 1) leader.signal('SIGTERM');
          await cluster.takenOver('SIGTERM', { after, withinMs: SLACK_MS, except: leader.node });
          await leader.exited;
          await replaced;
          replaced = cluster.add();
        }
        await replaced;
        printTakeOvers(cluster.takeOvers);
      }),
    120_000,
  );

  it.concurrent(
    'N-14: is followed within a ttl on SIGTERM without shutdown hooks',
    () =>
      Cluster.run({ leaseTtlMs: TTL_MS, shutdownHooks: false }, async (cluster) => {
        for (let round = 0; round < 2; round += 1) {
          const leader = await cluster.leader();
          const after = leader.signal('SIGTERM');
          const led = { after, withinMs: TTL_MS + SLACK_MS, except: leader.node };
          await cluster.takenOver('SIGTERM without hooks', led);
        }
        printTakeOvers(cluster.takeOvers);
      }),
    60_000,
  );
});
