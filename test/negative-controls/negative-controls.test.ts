/**
 * Each rule that can be switched off is switched off, in a copy, and something must notice: a rule that nothing
 * catches is a gap in the tests, or not needed. docs/guarantees.md has the table.
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { ChangedCopy } from './changed-copy.js';
import { CONTROLS } from './controls.js';

describe('Something fails when', () => {
  let copy: ChangedCopy;

  beforeAll(async () => {
    copy = await ChangedCopy.make();
  });
  afterAll(() => copy.remove());

  it.each(CONTROLS)(
    '$off',
    async ({ edits, caughtBy }) => {
      const isSimulated = 'family' in caughtBy;
      const { code, output } = await copy.with(edits, () =>
        isSimulated ? copy.simulate(caughtBy) : copy.test(caughtBy),
      );
      // It must be the rule that is noticed, and not that the changed code does not run.
      expect(output).toContain(isSimulated ? 'VIOLATION' : '✕');
      expect(code).toBe(1);
    },
    120_000,
  );
});

it('speaks of each rule that can be switched off', () => {
  /** 5 is how the scripts are built; 23 needs an application without Redis, which test/process has. */
  const others = [5, 23];
  const spoken = new Set([...CONTROLS.flatMap(({ rules }) => rules), ...others]);
  const missing = Array.from({ length: 25 }, (_, index) => index + 1).filter(
    (rule) => !spoken.has(rule),
  );
  expect(missing).toEqual([]);
});
