/** What the benchmarks say of samples. */
import { describe, expect, it } from '@jest/globals';

import { median, percentile, quartiles, statisticOf } from '../../bench/statistics.js';

const upTo = (n: number) => Array.from({ length: n }, (_, i) => n - i);

describe('the statistics of samples', () => {
  it.each([
    { samples: [3], is: 3 },
    { samples: [1, 30, 2], is: 2 },
    { samples: [4, 1, 3, 2], is: 2.5 },
  ])('have the median $is of $samples', ({ samples, is }) => {
    expect(median(samples)).toBe(is);
  });

  it.each([
    { count: 1, is: 1 },
    { count: 99, is: 99 },
    { count: 100, is: 99 },
    { count: 200, is: 198 },
    { count: 201, is: 199 },
  ])('have p99 by nearest rank: $is of 1 to $count', ({ count, is }) => {
    expect(percentile(upTo(count), 0.99)).toBe(is);
  });

  it('compare numbers and leave the samples as they are', () => {
    const samples = [10, 9, 100];
    expect(statisticOf('max', samples)).toBe(100);
    expect(quartiles(samples)).toEqual({ lower: 9, upper: 100 });
    expect(samples).toEqual([10, 9, 100]);
  });

  it('are not a number without samples', () => {
    expect([median([]), percentile([], 0.99)]).toEqual([NaN, NaN]);
  });
});
