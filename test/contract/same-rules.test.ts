import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { AcquireReply, LeaseHolder } from '../../lib/election/lease-store.interface.js';
import * as rules from '../../lib/stores/memory/lease-rules.js';
import { electionKeys } from '../../lib/stores/redis/redis-keys.js';
import { RedisLeaseStore } from '../../lib/stores/redis/redis-lease-store.js';
import { RedisServer } from '../support/redis/redis-server.js';
import { holder, releaseTo, renewalOf, requestBy } from '../support/redis/requests.js';

/** Above every time in milliseconds, so that an epoch above it never jumps. */
const FAR_FLOOR = 9e12;
const TTL_MS = 250;
/** A script that runs a little later than the model thinks must not meet another state. */
const SAFE_MS = 180;
const PAST_TTL_MS = TTL_MS + 20;
const SERVER_UP_MS = 2_000;

const HOLDERS = ['a', 'b', 'c'].map((id) => holder(id, { id }));

const operation = fc.record({
  kind: fc.oneof(
    { weight: 10, arbitrary: fc.constant('acquire' as const) },
    { weight: 6, arbitrary: fc.constant('renew' as const) },
    { weight: 4, arbitrary: fc.constant('release' as const) },
    { weight: 2, arbitrary: fc.constant('inspect' as const) },
    { weight: 1, arbitrary: fc.constant('elapse' as const) },
    { weight: 1, arbitrary: fc.constant('flush' as const) },
    { weight: 1, arbitrary: fc.constant('evict' as const) },
    { weight: 1, arbitrary: fc.constant('change-server' as const) },
  ),
  by: fc.constantFrom(...HOLDERS),
  holdOff: fc.constantFrom('auto' as const, 'always' as const, 'never' as const),
  floor: fc.constantFrom('own' as const, 'none' as const, 'far' as const),
  lateAttempt: fc.oneof(
    { weight: 9, arbitrary: fc.constant(false) },
    { weight: 1, arbitrary: fc.constant(true) },
  ),
});

describe('The Lua scripts and the rules in memory', () => {
  let redis: RedisServer;
  let store: RedisLeaseStore;
  let elections = 0;

  beforeAll(async () => {
    redis = await RedisServer.start();
    store = new RedisLeaseStore({ redis: redis.url });
    await redis.untilUpFor(SERVER_UP_MS / 1000);
  });
  afterAll(async () => {
    await store.close();
    await redis.stop();
  });

  it('answer every sequence of operations alike', async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(operation, { minLength: 60, maxLength: 60 }),
        async (operations) => {
          const election = `election-${(elections += 1)}`;
          const keys = electionKeys('leader-election', election);
          const model: rules.StoredElection = { lease: null, record: null };
          const known = new Map<LeaseHolder, number>();
          let settledAt = await redis.nowMs();

          // On a machine too slow leases end in the midst of the sequence, and what is right depends on it.
          const inTime = async (): Promise<boolean> => (await redis.nowMs()) - settledAt <= SAFE_MS;

          for (const [index, { kind, by, holdOff, floor, lateAttempt }] of operations.entries()) {
            const nowMs = await redis.nowMs();
            const moment = { id: 'first', nowMs, upMs: SERVER_UP_MS };
            const epoch = known.get(by) ?? 0;

            if (kind === 'acquire') {
              const floors = { own: epoch, none: 0, far: Math.max(FAR_FLOOR, epoch) + 5 };
              const request = requestBy(by, {
                election,
                holdOff,
                floor: floors[floor],
                ttlMs: TTL_MS,
                attempt: lateAttempt ? 1 : index + 2,
              });
              const expected = rules.acquire(model, request, moment);
              const answer = await store.acquire(request);
              if (!(await inTime())) return;
              expect(comparable(answer)).toEqual(comparable(expected));
              if (answer.granted) known.set(by, adoptJump(model, answer.epoch));
            } else if (kind === 'renew') {
              const request = renewalOf(by, epoch, { election, ttlMs: TTL_MS });
              const expected = rules.renew(model, request, moment);
              const answer = await store.renew(request);
              if (!(await inTime())) return;
              expect(answer).toEqual(expected);
            } else if (kind === 'release') {
              const request = releaseTo(by, epoch, { election });
              const expected = rules.release(model, request, moment);
              const answer = await store.release(request);
              if (!(await inTime())) return;
              expect(answer).toBe(expected);
            } else if (kind === 'inspect') {
              const request = { election, timeoutMs: 5000 };
              const { leader, seenEpoch } = rules.inspect(model, request, moment);
              const answer = await store.inspect(request);
              if (!(await inTime())) return;
              expect(answer).toMatchObject({ leader, seenEpoch });
            } else if (kind === 'flush') {
              await redis.admin.del(keys.lease, keys.record);
              Object.assign(model, { lease: null, record: null });
            } else if (kind === 'evict') {
              await redis.admin.del(keys.lease);
              model.lease = null;
            } else if (kind === 'change-server') {
              // As if another had granted: the real one cannot be changed that quickly.
              if (model.record === null) continue;
              await redis.admin.hset(keys.record, 'server', 'another');
              model.record.server = 'another';
            } else {
              await redis.elapse(PAST_TTL_MS);
              settledAt = await redis.nowMs();
            }
            compared += 1;
          }
        },
      ),
      { numRuns: 12, endOnFailure: true },
    );
    expect(compared).toBeGreaterThan(50);
  });
});

/** Where an epoch jumps to the time, that time is the server's, and the model goes on with it. */
function adoptJump(model: rules.StoredElection, epoch: number): number {
  if (model.lease !== null) model.lease.epoch = epoch;
  if (model.record !== null) model.record.epoch = epoch;
  return epoch;
}

/** All that does not depend on the exact moment. */
function comparable(reply: AcquireReply): unknown {
  if (!reply.granted) {
    const { because, leader, seenEpoch, waitMs } = reply;
    return { because, leader, seenEpoch, mustWait: waitMs > 0 };
  }
  const jumped = Math.abs(reply.epoch - Date.now()) < 60_000;
  return { granted: true, epoch: jumped ? 'about now' : reply.epoch };
}
