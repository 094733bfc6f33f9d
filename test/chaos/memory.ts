/** Whether one worker needed ever more memory. */
import { percentile } from '../support/process/report.js';
import type { Figures } from './figures.js';
import type { Findings } from './findings.js';

/** With fewer samples caches that fill once cannot be told from a leak. */
const FEWEST_SAMPLES = 9;
const ALLOWED_BYTES = 10 * 2 ** 20;

/** By how much the last third of the samples exceeds the first; null where there are too few. */
export function growthOf({ heapBytes }: Figures): number | null {
  if (heapBytes.length < FEWEST_SAMPLES) return null;
  const third = Math.floor(heapBytes.length / 3);
  return median(heapBytes.slice(-third)) - median(heapBytes.slice(0, third));
}

function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

export function judgeMemory(figures: Figures, findings: Findings): void {
  const growth = growthOf(figures);
  if (growth === null || growth <= ALLOWED_BYTES) return;
  findings.add('memory-flat', `the heap of one worker grew by ${Math.round(growth / 2 ** 20)} MiB`);
}
