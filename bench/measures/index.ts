/** All measures, in the order of docs/benchmarks.md. */
import type { Measure } from '../measure.interface.js';
import { takeOver } from './take-over.js';
import { callPath } from './call-path.js';
import { manyElections } from './many-elections.js';
import { start } from './start.js';

export const MEASURES: readonly Measure[] = [takeOver, manyElections, callPath, start];
