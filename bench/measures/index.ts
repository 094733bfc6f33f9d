/** All measures, in the order of docs/benchmarks.md. */
import type { Measure } from '../measure.interface.js';
import { manyElections } from './many-elections.js';
import { callPath } from './call-path.js';

export const MEASURES: readonly Measure[] = [manyElections, callPath];
