/** Runs measures one after another. */
import type { Measure, Row } from './measure.interface.js';
import type { Failure } from './report/saved-run.js';

export interface RunOptions {
  readonly quick: boolean;
  readonly contestants: readonly string[];
  readonly say: (text: string) => void;
  /** A measure has ended well. */
  readonly done: (measure: Measure, rows: readonly Row[]) => void;
}

export interface RunResult {
  readonly rows: readonly Row[];
  readonly failures: readonly Failure[];
}

/** One that fails does not end the others. */
export async function runMeasures(
  measures: readonly Measure[],
  { quick, contestants, say, done }: RunOptions,
): Promise<RunResult> {
  const rows: Row[] = [];
  const failures: Failure[] = [];
  for (const measure of measures) {
    const { id } = measure;
    const began = performance.now();
    say(`${id}: begins`);
    try {
      const its = await measure.run({ quick, contestants, say: (text) => say(`${id}: ${text}`) });
      rows.push(...its);
      done(measure, its);
      say(`${id}: done after ${secondsSince(began)} s`);
    } catch (error) {
      const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
      failures.push({ measure: id, message });
      say(`${id}: failed after ${secondsSince(began)} s`);
    }
  }
  return { rows, failures };
}

function secondsSince(ms: number): string {
  return ((performance.now() - ms) / 1000).toFixed(0);
}
