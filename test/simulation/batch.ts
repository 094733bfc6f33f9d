/** Plays many random plans of one family, and reduces the first one that breaks a promise. */
import * as fc from 'fast-check';

import type { HoldOff } from '../../lib/election/lease-store.interface.js';
import type { FamilyName } from './faults/families.js';
import type { Plan } from './plan.js';
import { planOf } from './plan-generator.js';
import { runPlan, type Violation } from './run-plan.js';

export interface Batch {
  readonly family: FamilyName;
  readonly holdOff: HoldOff;
  readonly runs: number;
  readonly seed: number;
  /** Goes straight to one run of the batch, reduced or not, as an earlier report named it. */
  readonly path?: string | undefined;
  /** What reducing a failure may take. */
  readonly reduceForMs: number;
}

export interface Failure {
  readonly batch: Batch;
  /** Where in the batch it is, as fast-check writes it. */
  readonly path: string;
  readonly plan: Plan;
  readonly violations: readonly Violation[];
}

export interface BatchResult {
  readonly batch: Batch;
  readonly runs: number;
  readonly grants: number;
  readonly failure: Failure | null;
}

export async function playBatch(batch: Batch): Promise<BatchResult> {
  const { family, holdOff, runs, seed, path, reduceForMs } = batch;
  let played = 0;
  let grants = 0;
  let failedAt = 0;
  // Models fail often, and nobody reads where.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  const property = fc.asyncProperty(planOf(family, holdOff), async (plan) => {
    // Out of time: whatever is left of the reduction passes.
    if (failedAt > 0 && performance.now() - failedAt > reduceForMs) return true;
    const outcome = await runPlan(plan);
    if (failedAt === 0) {
      played += 1;
      grants += outcome.grants;
    }
    if (outcome.violations.length === 0) return true;
    failedAt ||= performance.now();
    return false;
  });
  const details = await fc.check(property, {
    numRuns: runs,
    seed,
    ...(path === undefined ? {} : { path, endOnFailure: true }),
  });
  Error.stackTraceLimit = stackTraceLimit;
  const plan = details.counterexample?.[0];
  if (plan === undefined) return { batch, runs: played, grants, failure: null };
  const { violations } = await runPlan(plan);
  const failure = { batch, path: details.counterexamplePath ?? '', plan, violations };
  return { batch, runs: played, grants, failure };
}
