/** Random plans of one family, which shrink to fewer, shorter and milder faults. */
import * as fc from 'fast-check';

import type { HoldOff } from '../../lib/election/lease-store.interface.js';
import type { FaultKind } from './faults/fault.interface.js';
import { FAMILIES, type Family, type FamilyName } from './faults/families.js';
import type { CandidatePlan, Fault, Plan, ServerPlan } from './plan.js';
import { FAULTS_END_MS, TTL_MS } from './plan.js';

const MOST_FAULTS = 14;
/** The promise holds for clocks that run so much too fast or too slow, in millionths: one percent. */
const MOST_RATE = 10_000;
/** The smallest margin that is allowed, and the default. */
const MARGINS_MS = [TTL_MS / 5, TTL_MS / 50];

const rate = fc.constantFrom(0, MOST_RATE, -MOST_RATE, MOST_RATE / 3, -MOST_RATE / 3);

const candidate: fc.Arbitrary<CandidatePlan> = fc.record({
  rate,
  startAt: fc.integer({ min: 0, max: 1500 }),
});

export function planOf(name: FamilyName, holdOff: HoldOff): fc.Arbitrary<Plan> {
  const family: Family = FAMILIES[name];
  const aheadMs = fc.integer({ min: 0, max: family.servers[0] === 1 ? 0 : TTL_MS / 2 });
  const server: fc.Arbitrary<ServerPlan> = fc.record({ rate, aheadMs });
  const servers = fc
    .constantFrom(...family.servers)
    .chain((count) => fc.array(server, { minLength: count, maxLength: count }));
  const withAcks = family.acks === 'maybe' ? fc.boolean() : fc.constant(family.acks === 'always');
  return fc
    .record({
      seed: fc.integer({ min: 1, max: 0x7fffffff }),
      holdOff: fc.constant(holdOff),
      marginMs: fc.constantFrom(...MARGINS_MS),
      candidates: fc.array(candidate, { minLength: 2, maxLength: 5 }),
      servers,
      replicas: fc.constantFrom(...family.replicas),
      withAcks,
      workEveryMs: fc.constantFrom(0, 100),
      faults: fc.array(faultOf(family.kinds), { maxLength: MOST_FAULTS, size: 'max' }),
    })
    .map(({ withAcks: acks, ...plan }) => ({ ...plan, minReplicaAcks: acks ? plan.replicas : 0 }));
}

function faultOf(kinds: readonly FaultKind[]): fc.Arbitrary<Fault> {
  return fc.record({
    kind: fc.constantFrom(...kinds),
    at: fc.integer({ min: 0, max: FAULTS_END_MS - 1 }),
    forMs: fc.integer({ min: 0, max: 3 * TTL_MS }),
    who: fc.constantFrom('leader' as const, 'leader' as const, 'leader' as const, 0, 1, 2, 3, 4),
    member: fc.integer({ min: 0, max: 9 }),
    amount: fc.integer({ min: 0, max: 999 }),
  });
}
