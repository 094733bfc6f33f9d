/** One run beside another. */
import type { Row } from '../measure.interface.js';
import { median, quartiles } from '../statistics.js';
import { markdownTable } from './markdown-table.js';
import { numberText } from './number.js';

/** What two runs of the same code differ by on a machine that does something else, too. */
const NOISE_RATIO = 1.25;

export const NOISE =
  `Worse or better: the medians differ by more than ${NOISE_RATIO} times, and each lies outside of the other run's ` +
  'quartiles. Everything else is noise.';

export type Verdict = 'worse' | 'better' | 'same' | 'new';

export interface Comparison {
  readonly row: Row;
  readonly now: number;
  /** NaN where the other run does not have it. */
  readonly saved: number;
  /** Above one where more is needed now; NaN where both are zero. */
  readonly ratio: number;
  readonly verdict: Verdict;
}

export function compare(rows: readonly Row[], saved: readonly Row[]): readonly Comparison[] {
  return rows.map((row) => {
    const before = saved.find((other) => isSame(row, other));
    const now = median(row.samples);
    const then = before === undefined ? NaN : median(before.samples);
    const ratio = now / then;
    return { row, now, saved: then, ratio, verdict: verdictOf(row, before, ratio) };
  });
}

export function comparisonTable(comparisons: readonly Comparison[]): string {
  const lines = comparisons.map(({ row, now, saved, ratio, verdict }) => [
    row.contestant,
    row.case,
    `${row.figure}, ${row.unit}`,
    numberText(now),
    numberText(saved),
    ratio === Infinity ? '∞' : numberText(ratio),
    verdict === 'worse' ? '**worse**' : verdict === 'same' ? '' : verdict,
  ]);
  return markdownTable(['contestant', 'case', 'figure', 'now', 'saved', 'ratio', ''], lines);
}

/** Less is better in every figure. */
function verdictOf(row: Row, saved: Row | undefined, ratio: number): Verdict {
  if (saved === undefined) return 'new';
  const apart = isOutside(row, saved) && isOutside(saved, row);
  if (apart && ratio > NOISE_RATIO) return 'worse';
  return apart && ratio < 1 / NOISE_RATIO ? 'better' : 'same';
}

function isOutside(row: Row, other: Row): boolean {
  const { lower, upper } = quartiles(other.samples);
  const middle = median(row.samples);
  return middle < lower || middle > upper;
}

function isSame(row: Row, other: Row): boolean {
  return (
    row.measure === other.measure &&
    row.contestant === other.contestant &&
    row.case === other.case &&
    row.figure === other.figure
  );
}
