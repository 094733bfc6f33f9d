import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';

import { FAMILIES, type FamilyName } from './faults/families.js';
import type { Plan } from './plan.js';
import { planOf } from './plan-generator.js';
import { runPlan } from './run-plan.js';

async function transcriptOf(plan: Plan): Promise<string> {
  const lines: string[] = [];
  await runPlan(plan, { lines });
  return lines.join('\n');
}

describe('a run', () => {
  const families = Object.keys(FAMILIES) as FamilyName[];

  it.each(families)(
    'of the faults "%s" is the same to the byte when it is repeated',
    async (name) => {
      for (const plan of fc.sample(planOf(name, 'always'), { numRuns: 10, seed: 7 })) {
        const first = await transcriptOf(plan);
        expect(first).toContain('LEADS');
        expect(await transcriptOf(plan)).toBe(first);
        expect(await transcriptOf({ ...plan, seed: plan.seed + 1 })).not.toBe(first);
      }
    },
  );

  it('is the same whether or not somebody writes it down', async () => {
    for (const plan of fc.sample(planOf('mixed', 'auto'), { numRuns: 20, seed: 8 })) {
      expect(await runPlan(plan, { lines: [] })).toEqual(await runPlan(plan));
    }
  });
});
