/** The plots of docs/benchmarks.md. */
import type { Statistic } from '../measure.interface.js';

interface PlotOf {
  /** Without folder and ending. */
  readonly file: string;
  /** `Measure.id`. */
  readonly measure: string;
  readonly title: string;
  /** With its unit. */
  readonly axis: string;
}

/** Every sample, on a logarithmic axis, by contestant. */
export interface Strips extends PlotOf {
  readonly kind: 'strips';
  readonly figure: string;
}

/** A bar for each contestant. */
export interface Bars extends PlotOf {
  readonly kind: 'bars';
  readonly figure: string;
  readonly statistic: Statistic;
}

/** A bar for each figure of this library. */
export interface FigureBars extends PlotOf {
  readonly kind: 'figure bars';
}

/** Medians by the number that the case begins with, by contestant; both axes are logarithmic. */
export interface Lines extends PlotOf {
  readonly kind: 'lines';
  readonly figure: string;
  /** What that is the number of. */
  readonly numberOf: string;
}

export type Plot = Strips | Bars | FigureBars | Lines;

export const PLOTS: readonly Plot[] = [
  {
    kind: 'strips',
    file: 'take-over',
    measure: 'take-over',
    figure: 'beyond expiry',
    title: 'From the end of a crashed leader’s lease to the next leader',
    axis: 'ms beyond expiry (logarithmic)',
  },
  {
    kind: 'strips',
    file: 'hand-over',
    measure: 'hand-over',
    figure: 'from stop() to leading',
    title: 'From a release to the next leader',
    axis: 'ms from stop() (logarithmic)',
  },
  {
    kind: 'bars',
    file: 'faults',
    measure: 'faults',
    figure: 'two leaders at once',
    statistic: 'median',
    title: 'Two leaders at once',
    axis: 'ms, median',
  },
  {
    kind: 'lines',
    file: 'idle-commands',
    measure: 'idle-cost',
    figure: 'commands per follower and ttl',
    numberOf: 'candidates',
    title: 'What a follower asks of Redis',
    axis: 'commands a ttl (logarithmic)',
  },
  {
    kind: 'lines',
    file: 'many-elections-cpu',
    measure: 'many-elections',
    figure: 'CPU',
    numberOf: 'elections',
    title: 'CPU of a process that leads many elections',
    axis: '% of a core (logarithmic)',
  },
  {
    kind: 'lines',
    file: 'many-elections-memory',
    measure: 'many-elections',
    figure: 'heap each',
    numberOf: 'elections',
    title: 'Memory of each election',
    axis: 'KiB of heap (logarithmic)',
  },
  {
    kind: 'figure bars',
    file: 'call-path',
    measure: 'call-path',
    title: 'The call path',
    axis: 'ns, median',
  },
];
