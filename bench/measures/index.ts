/** All measures, in the order of docs/benchmarks.md. */
import type { Measure } from '../measure.interface.js';
import { callPath } from './call-path.js';
import { manyElections } from './many-elections.js';

export const MEASURES: readonly Measure[] = [manyElections, callPath];
