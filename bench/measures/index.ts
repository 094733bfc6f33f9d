/** All measures, in the order of docs/benchmarks.md. */
import type { Measure } from '../measure.interface.js';
import { faults } from './faults.js';
import { handOver } from './hand-over.js';
import { takeOver } from './take-over.js';
import { callPath } from './call-path.js';
import { idleCost } from './idle-cost.js';
import { manyElections } from './many-elections.js';
import { start } from './start.js';

export const MEASURES: readonly Measure[] = [
  takeOver,
  handOver,
  faults,
  idleCost,
  manyElections,
  callPath,
  start,
];
