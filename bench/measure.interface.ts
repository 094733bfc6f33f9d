/** What `npm run bench` measures, and the figures that come of it. */

export type Unit = 'ms' | 'µs' | 'ns' | 'commands' | 'bytes' | 'KiB' | '% of a core' | 'count';

/** One figure of one contestant in one case, with every sample that was taken. */
export interface Row {
  /** `Measure.id`. */
  readonly measure: string;
  /** `Contestant.id`, or what else was measured beside them, for example 'undecorated'. */
  readonly contestant: string;
  /** For example '50 candidates'. */
  readonly case: string;
  /** For example 'beyond expiry'. */
  readonly figure: string;
  readonly unit: Unit;
  readonly samples: readonly number[];
}

export type Statistic = 'median' | 'p99' | 'max';

/** Where this library must be. */
export interface Goal {
  readonly figure: string;
  /** Left out: in every case. */
  readonly cases?: readonly string[];
  readonly statistic: Statistic;
  readonly atMost: number;
}

export interface MeasureContext {
  /** The short form: fewer repetitions and cases, the same figures. All measures together take less than three minutes. */
  readonly quick: boolean;
  /** The ids of the contestants to measure. */
  readonly contestants: readonly string[];
  /** What is being done now, for whoever waits. */
  say(text: string): void;
}

export interface Measure {
  readonly id: string;
  readonly title: string;
  /** What is measured, and how, for the reader of docs/benchmarks.md; Markdown. */
  readonly how: string;
  readonly goals: readonly Goal[];
  /** Leaves nothing running, also when it fails. */
  run(context: MeasureContext): Promise<readonly Row[]>;
}
