/** All measures, in the order of docs/benchmarks.md. */
import type { Measure } from '../measure.interface.js';

export const MEASURES: readonly Measure[] = [];
