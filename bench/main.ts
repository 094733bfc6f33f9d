/** `npm run bench`: measures, prints and keeps what was measured. `USAGE` says how to call it. */
import { join } from 'node:path';

import { parseCommandLine, type Request, USAGE, UsageError } from './command-line.js';
import { CONTESTANTS } from './contestants/index.js';
import type { Measure, Row } from './measure.interface.js';
import { MEASURES } from './measures/index.js';
import { writeDocs } from './report/docs.js';
import { machine } from './report/machine.js';
import { comparisonNotes, measureReport } from './report/report.js';
import {
  checkWritable,
  readRun,
  type RunMeta,
  type SavedRun,
  saveRun,
} from './report/saved-run.js';
import { ROOT } from './root.js';
import { runMeasures } from './run-measures.js';
import { keepTemporaryFilesTogether } from './temporary-files.js';

const USAGE_ERROR = 2;
const INTERRUPTED = 130;

export async function main(args: readonly string[]): Promise<number> {
  try {
    const request = parseCommandLine(args, {
      measures: MEASURES.map(({ id }) => id),
      contestants: CONTESTANTS.map(({ id }) => id),
    });
    if (request.help) {
      print(USAGE);
      return 0;
    }
    return await answer(request);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    say(error.message);
    return USAGE_ERROR;
  }
}

async function answer(request: Request): Promise<number> {
  const { compare, from, only } = request;
  const saved = compare === undefined ? null : readRun('--compare', compare);
  const measures = MEASURES.filter(({ id }) => only.includes(id));
  const tell: Tell = (measure, rows) => print(`${measureReport(measure, rows, saved)}\n\n`);
  const run =
    from === undefined
      ? await measureAll(measures, request, tell)
      : printed(readRun('--from', from), measures, tell);
  if (request.docs) await writeDocs(MEASURES, run);
  if (saved !== null) print(comparisonNotes(run.meta, saved.meta));
  for (const { measure, message } of run.failures) say(`${measure} FAILED: ${message}`);
  return run.failures.length === 0 ? 0 : 1;
}

type Tell = (measure: Measure, rows: readonly Row[]) => void;

function printed(run: SavedRun, measures: readonly Measure[], tell: Tell): SavedRun {
  for (const measure of measures) {
    if (run.rows.some((row) => row.measure === measure.id)) tell(measure, run.rows);
  }
  return run;
}

async function measureAll(
  measures: readonly Measure[],
  { quick, contestants, json }: Request,
  done: Tell,
): Promise<SavedRun> {
  const began = new Date();
  const on = machine();
  const path = json ?? fileFor(began);
  await checkWritable(path);
  endOnInterrupt();
  await keepTemporaryFilesTogether();
  const result = await runMeasures(measures, { quick, contestants, say, done });
  const durationS = Math.round((Date.now() - began.getTime()) / 1000);
  const meta: RunMeta = { ...on, date: began.toISOString(), quick, durationS };
  const run = { meta, ...result };
  await saveRun(path, run);
  say(`All samples are in ${path}`);
  return run;
}

/** For example bench/results/2026-11-29-20-35-00.json. */
function fileFor(date: Date): string {
  const name = date.toISOString().slice(0, 19).replaceAll(/[T:]/g, '-');
  return join(ROOT, 'bench/results', `${name}.json`);
}

/** What was started goes with this process: servers by guards of their own, workers when their channel closes. */
function endOnInterrupt(): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      say('Interrupted');
      process.exit(INTERRUPTED);
    });
  }
}

function print(text: string): void {
  process.stdout.write(text);
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
