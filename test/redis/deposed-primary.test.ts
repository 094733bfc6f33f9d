/** A primary that goes on serving while another server took its place: what `minReplicaAcks` is for. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { awaitUntil } from '../support/await-until.js';
import { Electorate } from '../support/redis/electorate.js';
import { RedisServer } from '../support/redis/redis-server.js';
import { follow, promote, ReplicaSet } from '../support/redis/replica-set.js';

const TTL_MS = 1_500;
/** Its timeouts leave time for what a busy machine is late. */
const LONG_TTL_MS = 3_000;
const LIMIT_MS = 60_000;

let set: ReplicaSet;
let spare: RedisServer;
let electorate: Electorate;

beforeEach(async () => {
  electorate = new Electorate('jobs');
  [set, spare] = await Promise.all([ReplicaSet.start({ replicas: 1 }), RedisServer.start()]);
});
afterEach(async () => {
  await electorate.close();
  await Promise.all([set.stop(), spare.stop()]);
});

/** Two candidates that reach only the old primary, one of which leads, and then two that reach only the new one. */
async function splitBrain(minReplicaAcks: number): Promise<void> {
  for (const name of ['old-1', 'old-2']) {
    electorate.join(name, set.primary.url, { minReplicaAcks });
  }
  await electorate.untilLed();
  await set.caughtUp();
  set.breakReplication();
  await promote(set.replica());
  await follow(spare, set.replica());
  for (const name of ['new-1', 'new-2']) {
    electorate.join(name, set.replica().url, { minReplicaAcks });
  }
}

const leaderOf = (side: 'old' | 'new') =>
  electorate.members.find(
    ({ name, candidate }) => name.startsWith(side) && candidate.leadership !== null,
  );

describe('S-13: a deposed primary that keeps accepting', () => {
  it(
    'makes no second leader where each lease must be on a replica',
    async () => {
      await splitBrain(1);
      await awaitUntil(() => leaderOf('new') !== undefined, {
        what: 'the new side leads',
        timeoutMs: 20_000,
      });
      expect(leaderOf('old')).toBeUndefined();
      const old = electorate.members.flatMap(({ name, events }) =>
        name.startsWith('old') ? events.all('ended') : [],
      );
      // On a busy machine it may have lost its leadership once before, and its last renewal come late.
      expect(old.at(-1)?.reason).toMatch(/^(store-lost|expired)$/);
      // For some more leases, in which the old side goes on trying.
      await set.primary.elapse(2 * TTL_MS);
      expect(leaderOf('old')).toBeUndefined();
      expect(await electorate.close()).toEqual([]);
    },
    LIMIT_MS,
  );

  it(
    'has a leader of its own where nothing is asked of replicas, as the documentation says',
    async () => {
      await splitBrain(0);
      await awaitUntil(() => leaderOf('new') !== undefined, {
        what: 'the new side leads',
        timeoutMs: 20_000,
      });
      expect(leaderOf('old')).toBeDefined();
      await set.primary.elapse(TTL_MS);
      const violations = await electorate.close();
      expect(violations.join('\n')).toMatch(/old-[12].*new-[12]|new-[12].*old-[12]/);
    },
    LIMIT_MS,
  );
});

describe('A leader whose replicas are gone', () => {
  it(
    'ends by itself, says why, and somebody leads when they are back',
    async () => {
      for (const name of ['a', 'b']) {
        electorate.join(name, set.primary.url, { minReplicaAcks: 1, leaseTtlMs: LONG_TTL_MS });
      }
      const leader = await electorate.untilLed();
      const ended = leader.events.first('ended');
      const from = performance.now();
      set.breakReplication();
      expect(await ended).toMatchObject({ reason: 'store-lost' });
      // A lease, less its margin; and what a busy machine is late.
      expect(performance.now() - from).toBeLessThan(LONG_TTL_MS + 1_000);
      const failures = leader.events.all('storeFailed').map(({ error }) => error);
      expect(failures).toContainEqual(
        expect.objectContaining({
          kind: 'unavailable',
          message: expect.stringContaining('look at the replicas of this Redis'),
        }),
      );
      await set.primary.elapse(LONG_TTL_MS);
      expect(electorate.leader).toBeNull();
      set.healReplication();
      await electorate.untilLed();
      expect(await electorate.close()).toEqual([]);
    },
    LIMIT_MS,
  );
});
