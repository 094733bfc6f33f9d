/** The Lua scripts on a real server and the rules in memory answer every sequence of operations alike. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { RedisLeaseStore } from '../../lib/stores/redis/redis-lease-store.js';
import { ACQUIRE } from '../../lib/stores/redis/scripts/acquire.script.js';
import { RAISE_EPOCH } from '../../lib/stores/redis/scripts/raise-epoch.script.js';
import { RELEASE } from '../../lib/stores/redis/scripts/release.script.js';
import { RENEW } from '../../lib/stores/redis/scripts/renew.script.js';
import type { RedisScript } from '../../lib/stores/redis/scripts/script.js';
import { RedisServer } from '../support/redis/redis-server.js';
import { holder } from '../support/redis/requests.js';
import { Twins } from './twins.js';

const SHORT_TTL_MS = 250;
const PAST_TTL_MS = SHORT_TTL_MS + 20;
/** Nothing ends by itself while a server is restarted. */
const LONG_TTL_MS = 600_000;
const UP_MS = 2_000;

const HOLDERS = ['a', 'b', 'c'].map((id) => holder(id, { id }));

const arguments_ = {
  by: fc.constantFrom(...HOLDERS),
  holdOff: fc.constantFrom('auto' as const, 'always' as const, 'never' as const, 'never' as const),
  floor: fc.constantFrom('own', 'none', 'far'),
  isLate: fc.nat(9).map((number) => number === 0),
  attempt: fc.constantFrom(
    'granted' as const,
    'granted' as const,
    'earlier' as const,
    'other' as const,
  ),
  epoch: fc.constantFrom(
    'granted' as const,
    'granted' as const,
    'none' as const,
    'higher' as const,
  ),
};

const COMMON = weighted({
  acquire: 10,
  renew: 6,
  release: 4,
  raiseEpoch: 5,
  inspect: 1,
  evictLease: 1,
  evictRecord: 1,
  flush: 1,
});

const inTime = fc.record({
  ...arguments_,
  kind: fc.oneof(...COMMON, ...weighted({ elapse: 1 })),
});
const overRestarts = fc.record({
  ...arguments_,
  kind: fc.oneof(...COMMON, ...weighted({ save: 2, same: 1, empty: 1, old: 1 })),
});

type ValueOf<T> = T extends fc.Arbitrary<infer Value> ? Value : never;
type Operation = ValueOf<typeof inTime | typeof overRestarts>;

describe('The Lua scripts and the rules in memory', () => {
  let redis: RedisServer;
  let elections = 0;
  let operations = 0;

  beforeAll(async () => {
    redis = await RedisServer.start();
    await redis.untilUpFor(UP_MS / 1000);
  });
  afterAll(() => redis.stop());

  async function play(
    sequence: readonly Operation[],
    ttlMs: number,
    change: (store: RedisLeaseStore) => void = () => undefined,
  ): Promise<void> {
    let store = new RedisLeaseStore({ redis: redis.url });
    change(store);
    const twins = new Twins(redis, store, `election-${(elections += 1)}`, ttlMs, UP_MS);
    await twins.settle();
    try {
      for (const operation of sequence) {
        const { kind, by, holdOff, floor, isLate } = operation;
        if (!(await twins.isInTime())) return;
        if (kind === 'acquire') await twins.acquire(by, holdOff, floor, isLate);
        else if (kind === 'renew' || kind === 'release' || kind === 'raiseEpoch')
          await twins[kind](operation);
        else if (kind === 'inspect' || kind === 'save') await twins[kind]();
        else if (kind === 'evictLease') await twins.lose('lease');
        else if (kind === 'evictRecord') await twins.lose('record');
        else if (kind === 'flush') await twins.lose('lease', 'record');
        else if (kind === 'elapse') {
          await redis.elapse(PAST_TTL_MS);
          await twins.settle();
        } else {
          await store.close();
          await twins.restart(kind);
          store = new RedisLeaseStore({ redis: redis.url });
          twins.store = store;
        }
        operations += 1;
      }
    } finally {
      await store.close();
    }
  }

  it('answer alike while leases end, and are lost', async () => {
    operations = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(inTime, { minLength: 60, maxLength: 60 }), (sequence) =>
        play(sequence, SHORT_TTL_MS),
      ),
      { numRuns: 10, endOnFailure: true },
    );
    expect(operations).toBeGreaterThan(50);
  });

  it('answer alike over restarts with the same data, with none, and with old data', async () => {
    operations = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(overRestarts, { minLength: 50, maxLength: 50 }), (sequence) =>
        play(sequence, LONG_TTL_MS),
      ),
      { numRuns: 5, endOnFailure: true },
    );
    expect(operations).toBe(250);
  });

  it.each<[string, RedisScript, string, string]>([
    ['a release whatever the attempt', RELEASE, 'record.attempt == attempt', 'true'],
    ['no release by the attempt', RELEASE, 'or (record.holder == holder and', 'or (false and'],
    [
      'an epoch that is raised by another attempt',
      RAISE_EPOCH,
      '(holder, -1,',
      '(holder, lease_epoch,',
    ],
    [
      'a raised epoch that is not kept',
      RAISE_EPOCH,
      'math.max(epoch, record_epoch)',
      'record_epoch',
    ],
    ['a late try that is granted', ACQUIRE, '> attempt then', '> attempt + 1e9 then'],
    ['a renewal that restores an ended lease', RENEW, '(lease or not data_lost)', 'lease'],
    [
      'a floor that is not asked for',
      ACQUIRE,
      'math.max(known_epoch, floor) + 1',
      'known_epoch + 1',
    ],
  ])('are seen to differ where one is wrong: %s', async (_, script, right, wrong) => {
    const found = await fc.check(
      fc.asyncProperty(fc.array(overRestarts, { minLength: 80, maxLength: 80 }), (sequence) =>
        play(
          sequence.filter(({ kind }) => !isRestart(kind)),
          LONG_TTL_MS,
          (store) => mutate(store, script, right, wrong),
        ),
      ),
      { numRuns: 20, endOnFailure: true },
    );
    expect(found.failed).toBe(true);
    expect(String(found.errorInstance)).toContain('expect(');
  });
});

function isRestart(kind: string): boolean {
  return ['save', 'same', 'empty', 'old'].includes(kind);
}

/** From now on the store sends another script in place of this one. */
function mutate(store: RedisLeaseStore, script: RedisScript, right: string, wrong: string): void {
  const source = script.source.replace(right, wrong);
  expect(source).not.toBe(script.source);
  const mutant = { ...script, source, sha: createHash('sha1').update(source).digest('hex') };
  const runner = store['scripts'];
  const run = runner.run.bind(runner);
  runner.run = (asked, ...rest) => run(asked === script ? mutant : asked, ...rest);
}

function weighted<Name extends string>(weights: Record<Name, number>) {
  const names = Object.keys(weights) as Name[];
  return names.map((name) => ({ weight: weights[name], arbitrary: fc.constant(name) }));
}
