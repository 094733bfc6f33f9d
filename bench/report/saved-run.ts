/** A run as it is kept in a file: all samples, and what they were taken on. */
import { existsSync, readFileSync } from 'node:fs';
import { appendFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

import { UsageError } from '../command-line.js';
import type { Row } from '../measure.interface.js';
import type { Machine } from './machine.js';

export interface Failure {
  /** `Measure.id`. */
  readonly measure: string;
  readonly message: string;
}

export interface RunMeta extends Machine {
  /** ISO 8601, when it began. */
  readonly date: string;
  readonly quick: boolean;
  readonly durationS: number;
}

export interface SavedRun {
  readonly meta: RunMeta;
  readonly failures: readonly Failure[];
  readonly rows: readonly Row[];
}

const SIGNIFICANT_DIGITS = 6;

/**
 * Asked before anything is measured, so that nothing is measured in vain.
 *
 * @throws UsageError
 */
export async function checkWritable(path: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true });
    const isNew = !existsSync(path);
    await appendFile(path, '');
    if (isNew) await rm(path);
  } catch (error) {
    const { message } = error as Error;
    throw new UsageError(`--json ${path}: it cannot be written (${message}). Name another file`, {
      cause: error,
    });
  }
}

export async function saveRun(path: string, run: SavedRun): Promise<void> {
  await writeFile(path, runToText(run));
}

/** A line for each row, so that it can be read and compared. */
export function runToText({ meta, failures, rows }: SavedRun): string {
  const lines = rows.map((row) =>
    JSON.stringify({ ...row, samples: row.samples.map((sample) => shortened(sample)) }),
  );
  return [
    `{"meta": ${JSON.stringify(meta)},`,
    `"failures": ${JSON.stringify(failures)},`,
    `"rows": [\n${lines.join(',\n')}\n]}\n`,
  ].join('\n');
}

/** @throws UsageError which names the option that asked for it */
export function readRun(option: string, path: string): SavedRun {
  const remedy = 'Name a file that npm run bench has written (bench/results/*.json)';
  let run: Partial<SavedRun>;
  try {
    run = JSON.parse(readFileSync(path, 'utf8')) as Partial<SavedRun>;
  } catch (error) {
    const { message } = error as Error;
    throw new UsageError(`${option} ${path}: it cannot be read (${message}). ${remedy}`, {
      cause: error,
    });
  }
  const { meta, failures, rows } = run;
  if (meta === undefined || !Array.isArray(failures) || !Array.isArray(rows)) {
    throw new UsageError(`${option} ${path}: it is not a saved run. ${remedy}`);
  }
  return { meta, failures, rows };
}

function shortened(sample: number): number {
  return Number(sample.toPrecision(SIGNIFICANT_DIGITS));
}
