import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type {
  AcquireReply,
  AcquireRequest,
  LeaseHolder,
  LeaseStore,
  RenewReply,
} from '../../lib/election/lease-store.interface.js';
import { awaitUntil } from '../support/await-until.js';
import {
  epochOf,
  holder,
  releaseTo,
  renewalOf,
  requestBy,
  waitOf,
} from '../support/redis/requests.js';

/** A store, and what a test must be able to do to it. */
export interface StoreUnderTest {
  readonly store: LeaseStore;
  /** Its server has been up for at least this long when the suite starts. */
  readonly upMs: number;
  /** Lets that much time pass at the store. */
  elapse(ms: number): Promise<void>;
  /** The store loses everything. */
  flush(): Promise<void>;
  /** Only the lease goes, unreleased: evicted, or deleted by hand. */
  evictLease(election: string): Promise<void>;
  /** From now on it looks as if another server had granted last. */
  changeServer(election: string): Promise<void>;
  /** The server's clock is set back by that much: what has an end there now ends later. */
  setClockBack(election: string, ms: number): Promise<void>;
  close(): Promise<void>;
}

const A = holder('a', { url: 'http://a' });
const B = holder('b');
const C = holder('c');

/** Long enough that nothing expires by itself while a test runs. */
const LONG_MS = 60_000;
/** Real time passes between two calls, but not as much as this. */
const SLACK_MS = 5_000;

/**
 * What every `LeaseStore` must do. The numbers in brackets are the rules in docs/architecture.md.
 */
export function describeLeaseStore(
  name: string,
  open: () => Promise<StoreUnderTest>,
  { isQuorum = false }: { isQuorum?: boolean } = {},
): void {
  // A quorum needs an epoch above what each server grants, and servers whose clocks differ do not grant the same.
  const nextAfter = (epoch: number): unknown => (isQuorum ? above(epoch) : epoch + 1);
  const known = (epoch: number): unknown => (isQuorum ? above(epoch - 1) : epoch);
  // A server that granted too late to be counted knows of a higher epoch, and takes the lease for another's.
  const gone: unknown = isQuorum ? expect.stringMatching(/^(gone|taken)$/) : 'gone';
  /** Short enough to wait for, and long enough for the rounds of a quorum on a busy machine. */
  const SHORT_MS = isQuorum ? 200 : 60;
  const SHORTEST_MS = isQuorum ? 20 : 5;

  describe(`${name} keeps the contract of a lease store`, () => {
    let subject: StoreUnderTest;
    let store: LeaseStore;
    let election = '';
    let elections = 0;

    beforeAll(async () => {
      subject = await open();
      store = subject.store;
    });
    afterAll(() => subject.close());
    beforeEach(() => {
      election = `election-${(elections += 1)}`;
    });

    const acquire = (by: LeaseHolder, over: Partial<AcquireRequest> = {}): Promise<AcquireReply> =>
      store.acquire(requestBy(by, { election, ttlMs: LONG_MS, holdOff: 'never', ...over }));
    const renew = (by: LeaseHolder, epoch: number, ttlMs = LONG_MS): Promise<RenewReply> =>
      store.renew(renewalOf(by, epoch, { election, ttlMs }));
    const release = (by: LeaseHolder, epoch: number): Promise<boolean> =>
      store.release(releaseTo(by, epoch, { election }));
    const inspect = () => store.inspect({ election, timeoutMs: 2000 });

    /** The first lease of this election, so that its epoch jumped to the time. */
    async function heldByA(over: Partial<AcquireRequest> = {}): Promise<number> {
      return epochOf(await acquire(A, over));
    }

    /** A later one: the store knows its server, so that the next epoch is the next number. */
    async function heldByASettled(over: Partial<AcquireRequest> = {}): Promise<number> {
      await release(A, await heldByA());
      return heldByA({ attempt: 2, ...over });
    }

    describe('acquire', () => {
      it('grants a free lease', async () => {
        expect(await acquire(A)).toEqual({ granted: true, epoch: expect.any(Number) });
      });

      it('refuses a lease that another holds, and tells who, with what, and for how long', async () => {
        const epoch = await heldByA();
        const reply = await acquire(B);

        expect(reply).toEqual({
          granted: false,
          because: 'held',
          leader: { nodeId: 'node-a', epoch, metadata: { url: 'http://a' } },
          seenEpoch: known(epoch),
          seenTtlMs: LONG_MS,
          waitMs: expect.any(Number),
        });
        expectBetween(waitOf(reply), LONG_MS - SLACK_MS, LONG_MS);
      });

      it('grants it once the lease has run out, with the next epoch', async () => {
        const epoch = await heldByASettled({ ttlMs: SHORT_MS });
        await subject.elapse(SHORT_MS + 5);

        expect(await acquire(B)).toEqual({ granted: true, epoch: nextAfter(epoch) });
      });

      it('keeps elections apart', async () => {
        await heldByA();
        expect(await acquire(B, { election: `${election}-other` })).toMatchObject({
          granted: true,
        });
      });

      it('grants the lease to its own holder anew, with a new epoch (7)', async () => {
        const epoch = await heldByA();

        const next = epochOf(await acquire(A, { attempt: 2 }));
        expect(next).toEqual(nextAfter(epoch));
        expect(await renew(A, epoch)).toEqual({
          renewed: false,
          because: 'taken',
          seenEpoch: nextAfter(epoch),
        });
        expect(await renew(A, next)).toEqual({ renewed: true });
      });

      it('lets an attempt that arrives after a later one change nothing (7)', async () => {
        const epoch = await heldByA({ attempt: 5 });

        expect(await acquire(A, { attempt: 4 })).toMatchObject({
          granted: false,
          because: 'outdated',
          seenEpoch: known(epoch),
          leader: { nodeId: 'node-a', epoch },
        });
        expect(await renew(A, epoch)).toEqual({ renewed: true });
      });

      it('grants above every epoch that the candidate has seen (13)', async () => {
        const floor = (await heldByASettled()) + 1000;
        expect(epochOf(await acquire(A, { attempt: 3, floor }))).toBeGreaterThan(floor);
      });
    });

    describe('renew', () => {
      it('extends exactly this lease', async () => {
        const epoch = await heldByA({ ttlMs: 1000 });

        expect(await renew(A, epoch, LONG_MS)).toEqual({ renewed: true });
        expectBetween((await inspect()).waitMs, LONG_MS - SLACK_MS, LONG_MS);
      });

      it('refuses when another holds the lease, and leaves that lease alone', async () => {
        const epoch = await heldByASettled({ ttlMs: SHORT_MS });
        await subject.elapse(SHORT_MS + 5);
        const next = epochOf(await acquire(B));

        const refusal = { renewed: false, because: 'taken', seenEpoch: next };
        expect(await renew(A, epoch)).toEqual(refusal);
        expect((await inspect()).leader).toEqual({ nodeId: 'node-b', epoch: next, metadata: {} });
      });

      it('refuses another holder with the right epoch', async () => {
        const epoch = await heldByA();
        expect(await renew(B, epoch)).toMatchObject({ renewed: false, because: 'taken' });
      });

      it('S-07: never re-creates a lease that has run out', async () => {
        const epoch = await heldByA({ ttlMs: SHORT_MS });
        await subject.elapse(SHORT_MS + 5);

        expect(await renew(A, epoch)).toEqual({
          renewed: false,
          because: gone,
          seenEpoch: known(epoch),
        });
        expect(await inspect()).toMatchObject({ leader: null, seenEpoch: known(epoch) });
        expect(epochOf(await acquire(A, { attempt: 2 }))).toEqual(nextAfter(epoch));
      });

      it('says "taken" where the lease is free but was another’s meanwhile', async () => {
        const epoch = await heldByASettled({ ttlMs: SHORT_MS });
        await subject.elapse(SHORT_MS + 5);
        const next = epochOf(await acquire(B));
        await release(B, next);

        expect(await renew(A, epoch)).toEqual({
          renewed: false,
          because: 'taken',
          seenEpoch: known(next),
        });
      });

      it('does not bring back a lease that only its key was deleted of', async () => {
        const epoch = await heldByA();
        await subject.evictLease(election);

        expect(await renew(A, epoch)).toMatchObject({ renewed: false, because: gone });
        expect((await inspect()).leader).toBeNull();
      });
    });

    describe('release', () => {
      it('frees exactly this lease for the next candidate', async () => {
        const epoch = await heldByASettled();

        expect(await release(A, epoch)).toBe(true);
        expect(await acquire(B)).toEqual({ granted: true, epoch: nextAfter(epoch) });
      });

      it('S-17: leaves the lease of the next holder alone', async () => {
        const epoch = await heldByASettled({ ttlMs: SHORT_MS });
        await subject.elapse(SHORT_MS + 5);
        const next = epochOf(await acquire(B));

        expect(await release(A, epoch)).toBe(false);
        expect(await release(A, next)).toBe(false);
        expect(await renew(B, next)).toEqual({ renewed: true });
      });

      it('leaves a later lease of the same holder alone', async () => {
        const epoch = await heldByA();
        const next = epochOf(await acquire(A, { attempt: 2 }));

        expect(await release(A, epoch)).toBe(false);
        expect(await renew(A, next)).toEqual({ renewed: true });
      });

      it('says no the second time', async () => {
        const epoch = await heldByA();
        await release(A, epoch);
        expect(await release(A, epoch)).toBe(false);
      });

      it('wakes those who watch this election, until they stop (19)', async () => {
        let freed = 0;
        let elsewhere = 0;
        const stop = store.watch(election, { freed: () => (freed += 1), reconnected: () => {} });
        const stopElsewhere = store.watch(`${election}-other`, {
          freed: () => (elsewhere += 1),
          reconnected: () => {},
        });
        let attempt = 0;
        // A subscription takes a moment; it wakes once when it begins to listen, as something may have been missed.
        await awaitUntil(
          async () => {
            const before = freed;
            await release(A, await heldByA({ attempt: (attempt += 1) }));
            await subject.elapse(5);
            return freed > before;
          },
          { what: 'a release wakes the watcher' },
        );
        expect(elsewhere).toBeLessThanOrEqual(isQuorum ? 3 : 1);

        stop();
        stopElsewhere();
        const before = freed;
        await release(A, await heldByA({ attempt: attempt + 1 }));
        await subject.elapse(5);
        expect(freed).toBe(before);
      });
    });

    describe('inspect', () => {
      it('tells of an election that never was', async () => {
        expect(await inspect()).toEqual({ leader: null, seenEpoch: 0, seenTtlMs: 0, waitMs: 0 });
      });

      it('tells who leads, and changes nothing', async () => {
        const epoch = await heldByA();
        const leader = { nodeId: 'node-a', epoch, metadata: { url: 'http://a' } };

        expect(await inspect()).toMatchObject({ leader, seenEpoch: known(epoch) });
        expect(await inspect()).toMatchObject({ leader, seenEpoch: known(epoch) });
      });

      it('remembers the epoch of a lease that is over', async () => {
        const epoch = await heldByA();
        await release(A, epoch);
        expect(await inspect()).toEqual({
          leader: null,
          seenEpoch: known(epoch),
          seenTtlMs: LONG_MS,
          waitMs: 0,
        });
      });
    });

    describe('after the store lost its data', () => {
      it('lets the leader write its own lease back (12)', async () => {
        const epoch = await heldByA();
        await subject.flush();

        expect(await renew(A, epoch)).toEqual({ renewed: true });
        expect(await inspect()).toMatchObject({
          leader: { nodeId: 'node-a', epoch, metadata: { url: 'http://a' } },
          seenEpoch: known(epoch),
        });
        expect(await acquire(B)).toMatchObject({ granted: false, because: 'held' });
      });

      it('does not let it overwrite a lease that was granted meanwhile', async () => {
        const epoch = await heldByA();
        await subject.flush();
        const next = epochOf(await acquire(B));

        expect(await renew(A, epoch)).toMatchObject({ renewed: false, because: 'taken' });
        expect(await renew(B, next)).toEqual({ renewed: true });
      });

      it('holds off and jumps the epoch after such a lease, as something was lost (14, 15)', async () => {
        const epoch = await heldByASettled();
        await subject.flush();
        await renew(A, epoch, SHORT_MS);
        await subject.elapse(SHORT_MS + 5);

        const refusal = await acquire(B, { ttlMs: SHORT_MS, holdOff: 'auto' });
        expect(refusal).toMatchObject({
          granted: false,
          because: 'hold-off',
          seenEpoch: known(epoch),
        });
        expectBetween(waitOf(refusal), 1, SHORT_MS);
        await subject.elapse(SHORT_MS + 5);
        const next = epochOf(await acquire(B, { ttlMs: SHORT_MS, holdOff: 'auto', attempt: 2 }));
        expect(next).toBeGreaterThan(epoch + 1);
      });

      it('treats a lease that vanished before its end as running until then (16)', async () => {
        const epoch = await heldByASettled({ ttlMs: LONG_MS });
        await subject.evictLease(election);

        const refusal = await acquire(B);
        expect(refusal).toMatchObject({
          granted: false,
          because: 'vanished',
          leader: null,
          seenEpoch: known(epoch),
        });
        expectBetween(waitOf(refusal), LONG_MS - SLACK_MS, LONG_MS);
      });

      it('waits for a vanished lease no longer than its end, and then grants (16)', async () => {
        const epoch = await heldByASettled({ ttlMs: SHORT_MS });
        await subject.evictLease(election);
        await subject.elapse(SHORT_MS + 5);
        expect(await acquire(B)).toEqual({ granted: true, epoch: nextAfter(epoch) });
      });

      it('makes the holder of a vanished lease wait too, as its old epoch may be at work (16)', async () => {
        await heldByA();
        await subject.evictLease(election);
        expect(await acquire(A, { attempt: 2 })).toMatchObject({ because: 'vanished' });
      });

      it('keeps a lease no longer than its ttl when the clock of the server is set back', async () => {
        const epoch = await heldByASettled({ ttlMs: SHORT_MS });
        await subject.setClockBack(election, LONG_MS);
        expect(waitOf(await acquire(B))).toBeLessThanOrEqual(SHORT_MS);
        await subject.elapse(SHORT_MS + 5);
        expect(await acquire(B)).toEqual({ granted: true, epoch: nextAfter(epoch) });
      });

      it('waits for a vanished lease no longer than its ttl when the clock is set back (16)', async () => {
        const epoch = await heldByASettled({ ttlMs: SHORT_MS });
        await subject.setClockBack(election, LONG_MS);
        await subject.evictLease(election);
        expect(waitOf(await acquire(B))).toBeLessThanOrEqual(SHORT_MS);
        await subject.elapse(SHORT_MS + 5);
        expect(await acquire(B)).toEqual({ granted: true, epoch: nextAfter(epoch) });
      });

      it('does not wait for a lease that was released (16)', async () => {
        await release(A, await heldByA());
        expect(await acquire(B)).toMatchObject({ granted: true });
      });
    });

    describe.each(['auto', 'always'] as const)('with holdOff %s', (holdOff) => {
      it('waits one ttl when another server granted last, and jumps the epoch (14, 15)', async () => {
        const epoch = await heldByASettled();
        await release(A, epoch);
        await subject.changeServer(election);

        const refusal = await acquire(B, { holdOff, ttlMs: LONG_MS });
        expect(refusal).toMatchObject({ granted: false, because: 'hold-off', leader: null });
        expectBetween(waitOf(refusal), LONG_MS - SLACK_MS, LONG_MS);
      });

      // What was seen at the others says nothing about what one of a quorum has lost.
      if (!isQuorum) {
        it('waits when the candidate has seen a higher epoch than the store (14, 15)', async () => {
          const epoch = await heldByASettled();
          await release(A, epoch);
          const floor = epoch + 1;

          const first = await acquire(B, { holdOff, floor, ttlMs: SHORT_MS });
          // The lease that ended last may have been longer, and what was lost may have been its like.
          expect(first).toMatchObject({
            granted: false,
            because: 'hold-off',
            seenEpoch: known(epoch),
          });
          expectBetween(waitOf(first), SHORT_MS + 1, LONG_MS);
        });
      }

      it('notes the wait once, for all candidates and all attempts (15)', async () => {
        await release(A, await heldByASettled({ ttlMs: SHORT_MS }));
        await subject.changeServer(election);
        const waits = [];
        await acquire(B, { holdOff, ttlMs: 1_000 });
        await subject.elapse(100);
        for (const by of [B, C, A]) {
          waits.push(waitOf(await acquire(by, { holdOff, ttlMs: 1_000, attempt: 3 })));
        }

        for (const waitMs of waits) expectBetween(waitMs, 1, 900);
        await subject.elapse(Math.max(...waits) + 2);
        expect(await acquire(C, { holdOff, ttlMs: 1_000, attempt: 4 })).toMatchObject({
          granted: true,
        });
      });

      it('starts the wait when followers first see the change under a standing lease (15)', async () => {
        const epoch = await heldByASettled({ ttlMs: 800 });
        await subject.changeServer(election);
        expect(await acquire(B, { holdOff, ttlMs: 800 })).toMatchObject({ because: 'held' });
        expect(await renew(A, epoch, 800)).toEqual({ renewed: true });
        await subject.elapse(805);
        // The lease has ended or is released just as the wait does: nobody waits twice.
        await release(A, epoch);
        expect(await acquire(B, { holdOff, ttlMs: 800, attempt: 2 })).toMatchObject({
          granted: true,
        });
      });

      it('lets the present leader renew through it (15)', async () => {
        const epoch = await heldByASettled();
        await subject.changeServer(election);
        await acquire(B, { holdOff });
        expect(await renew(A, epoch)).toEqual({ renewed: true });
      });

      it('waits on an empty store when the candidate knows of an epoch (15)', async () => {
        expect(await acquire(A, { holdOff, floor: 7, ttlMs: SHORT_MS })).toMatchObject({
          granted: false,
          because: 'hold-off',
          seenEpoch: 0,
        });
      });

      it('waits as long as the longest lease that any candidate knows of (15)', async () => {
        await release(A, await heldByASettled({ ttlMs: SHORT_MS }));
        await subject.flush();
        const knowing = { holdOff, ttlMs: SHORT_MS, floor: 7, longestTtlMs: LONG_MS };
        const refusal = await acquire(B, knowing);
        expectBetween(waitOf(refusal), LONG_MS - SLACK_MS, LONG_MS);

        // Also for one that knows only its own, and that would have been granted it by now.
        await subject.elapse(SHORT_MS + 5);
        const other = await acquire(C, { holdOff, ttlMs: SHORT_MS });
        expectBetween(waitOf(other), LONG_MS - SLACK_MS, LONG_MS);
      });

      it('lengthens a wait that one began who did not know how long (15)', async () => {
        const unknowing = { holdOff, ttlMs: SHORT_MS, floor: 7 };
        expect(waitOf(await acquire(B, unknowing))).toBeLessThanOrEqual(SHORT_MS);
        await acquire(C, { ...unknowing, longestTtlMs: LONG_MS });
        const refusal = await acquire(B, { ...unknowing, attempt: 2 });
        expectBetween(waitOf(refusal), LONG_MS - SLACK_MS, LONG_MS);
      });

      it('is over after one wait: the next grants on this server come at once, one by one', async () => {
        await release(A, await heldByASettled({ ttlMs: SHORT_MS }));
        await subject.changeServer(election);
        await acquire(B, { holdOff, ttlMs: SHORT_MS });
        await subject.elapse(SHORT_MS + 5);
        const jumped = epochOf(await acquire(B, { holdOff, ttlMs: SHORT_MS, attempt: 2 }));
        await release(B, jumped);
        expect(await acquire(C, { holdOff })).toEqual({ granted: true, epoch: nextAfter(jumped) });
      });
    });

    describe('on the first start of an election', () => {
      it("'auto' leads at once on a server that has been up for a ttl (15)", async () => {
        expect(await acquire(A, { holdOff: 'auto', ttlMs: 1000 })).toMatchObject({ granted: true });
      });

      it("'auto' waits until a server that has just started has been up for a ttl (15)", async () => {
        const ttlMs = 60 * LONG_MS;
        const refusal = await acquire(A, { holdOff: 'auto', ttlMs });
        expect(refusal).toMatchObject({ granted: false, because: 'hold-off', seenEpoch: 0 });
        expectBetween(waitOf(refusal), 1, ttlMs - subject.upMs + 1000);
      });

      it("'always' waits a whole ttl even there (15)", async () => {
        const refusal = await acquire(A, { holdOff: 'always', ttlMs: SHORT_MS });
        expect(refusal).toMatchObject({ granted: false, because: 'hold-off' });
        await subject.elapse(SHORT_MS + 5);
        const granted = await acquire(A, { holdOff: 'always', ttlMs: SHORT_MS, attempt: 2 });
        expect(granted).toMatchObject({ granted: true });
      });

      it("'never' waits for nothing", async () => {
        expect(await acquire(A, { holdOff: 'never', floor: 9, ttlMs: 60 * LONG_MS })).toMatchObject(
          { granted: true },
        );
      });

      it('takes a wait that has begun for a record: it is no first start any more (15)', async () => {
        await acquire(B, { holdOff: 'auto', floor: 5, ttlMs: LONG_MS });
        expect(await acquire(A, { holdOff: 'auto', ttlMs: 1000 })).toMatchObject({
          granted: false,
          because: 'hold-off',
        });
      });
    });

    it('hands out epochs that only grow, through any 200 operations and losses', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(anyOperation, { minLength: 200, maxLength: 200 }),
          async (ops) => {
            election = `election-${(elections += 1)}`;
            // Each candidate knows the epochs of its own leaderships, and no others.
            const floors = new Map<LeaseHolder, number>();
            const epochs: number[] = [];
            for (const [attempt, { kind, by, holdOff }] of ops.entries()) {
              const floor = floors.get(by) ?? 0;
              if (kind === 'acquire') {
                const reply = await acquire(by, { attempt, floor, holdOff, ttlMs: SHORTEST_MS });
                if (!reply.granted) continue;
                expect(reply.epoch).toBeGreaterThan(epochs.at(-1) ?? 0);
                epochs.push(reply.epoch);
                floors.set(by, reply.epoch);
              } else if (kind === 'renew') await renew(by, floor, SHORTEST_MS);
              else if (kind === 'release') await release(by, floor);
              else if (kind === 'evict') await subject.evictLease(election);
              else if (kind === 'elapse') await subject.elapse(SHORTEST_MS / 2);
              else {
                // An epoch of each millisecond is what the jump counts on.
                await subject.elapse(epochs.length);
                await subject.flush();
              }
            }
            expect(epochs.length).toBeGreaterThan(5);
          },
        ),
        { numRuns: 5, endOnFailure: true },
      );
    });
  });
}

const anyOperation = fc.record({
  kind: fc.oneof(
    { weight: 10, arbitrary: fc.constant('acquire' as const) },
    { weight: 6, arbitrary: fc.constant('renew' as const) },
    { weight: 4, arbitrary: fc.constant('release' as const) },
    { weight: 4, arbitrary: fc.constant('elapse' as const) },
    { weight: 1, arbitrary: fc.constant('flush' as const) },
    { weight: 1, arbitrary: fc.constant('evict' as const) },
  ),
  by: fc.constantFrom(A, B, C),
  holdOff: fc.constantFrom('auto' as const, 'always' as const, 'never' as const),
});

function expectBetween(value: number, least: number, most: number): void {
  expect(value).toBeGreaterThanOrEqual(least);
  expect(value).toBeLessThanOrEqual(most);
}

/** A number that is higher. */
function above(epoch: number): { asymmetricMatch(other: unknown): boolean; toString(): string } {
  return {
    asymmetricMatch: (other) => typeof other === 'number' && other > epoch,
    toString: () => `above ${epoch}`,
  };
}
