/** What the benchmarks call worse. */
import { describe, expect, it } from '@jest/globals';

import type { Row } from '../../bench/measure.interface.js';
import { compare, comparisonTable } from '../../bench/report/compare.js';

function row(samples: readonly number[], figure = 'takes'): Row {
  return { measure: 'm', contestant: 'ours', case: '3 candidates', figure, unit: 'ms', samples };
}

describe('a run beside a saved one', () => {
  it.each([
    { now: [20, 21, 22], saved: [10, 11, 12], verdict: 'worse' },
    { now: [10, 11, 12], saved: [20, 21, 22], verdict: 'better' },
    { now: [12, 13, 14], saved: [10, 11, 12], verdict: 'same' },
    { now: [20, 21, 22], saved: [1, 10, 11, 30, 40], verdict: 'same' },
    { now: [1, 20, 40, 50], saved: [10, 11, 12], verdict: 'same' },
    { now: [3], saved: [0], verdict: 'worse' },
    { now: [0], saved: [0], verdict: 'same' },
  ] as const)('is $verdict with $now after $saved', ({ now, saved, verdict }) => {
    expect(compare([row(now)], [row(saved)])[0]?.verdict).toBe(verdict);
  });

  it('shows both medians and their ratio, and what is new', () => {
    const rows = [row([30]), row([5], 'another')];
    expect(
      comparisonTable(compare(rows, [row([10])]))
        .split('\n')
        .slice(2),
    ).toEqual([
      '| ours | 3 candidates | takes, ms | 30 | 10 | 3 | **worse** |',
      '| ours | 3 candidates | another, ms | 5 | – | – | new |',
    ]);
  });
});
