/** What is said of samples. */
import type { Statistic } from './measure.interface.js';

export interface Quartiles {
  readonly lower: number;
  readonly upper: number;
}

/** By nearest rank: always one of the samples. `part` is above 0 and at most 1; NaN without samples. */
export function percentile(samples: readonly number[], part: number): number {
  return ranked(sorted(samples), part);
}

/** The middle sample, or what lies between the two in the middle. */
export function median(samples: readonly number[]): number {
  const order = sorted(samples);
  const { length } = order;
  return (at(order, Math.floor((length - 1) / 2)) + at(order, Math.ceil((length - 1) / 2))) / 2;
}

export function maximum(samples: readonly number[]): number {
  return percentile(samples, 1);
}

export function quartiles(samples: readonly number[]): Quartiles {
  const order = sorted(samples);
  return { lower: ranked(order, 0.25), upper: ranked(order, 0.75) };
}

export function statisticOf(statistic: Statistic, samples: readonly number[]): number {
  if (statistic === 'median') return median(samples);
  return statistic === 'p99' ? percentile(samples, 0.99) : maximum(samples);
}

function ranked(order: readonly number[], part: number): number {
  return at(order, Math.ceil(order.length * part) - 1);
}

function at(order: readonly number[], index: number): number {
  return order[index] ?? NaN;
}

function sorted(samples: readonly number[]): readonly number[] {
  const order = [...samples];
  order.sort((a, b) => a - b);
  return order;
}
