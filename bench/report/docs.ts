/** Writes a run into docs/benchmarks.md, with its plots. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';

import type { Measure, Row } from '../measure.interface.js';
import { ROOT } from '../root.js';
import { figureTables } from './figure-tables.js';
import { fillPage } from './fill-page.js';
import { goalTable } from './goal-table.js';
import { plotSpec } from './plot-spec.js';
import { type Plot, PLOTS } from './plots.js';
import type { RunMeta, SavedRun } from './saved-run.js';
import { svgOf } from './svg.js';

const PAGE = join(ROOT, 'docs/benchmarks.md');
const PLOT_FOLDER = join(ROOT, 'docs/benchmarks');

export async function writeDocs(
  measures: readonly Measure[],
  { meta, rows }: SavedRun,
): Promise<void> {
  const drawn = await drawPlots(rows);
  const texts = new Map([['run', runText(meta)]]);
  for (const measure of measures) {
    const plots = drawn.filter((plot) => plot.measure === measure.id);
    texts.set(measure.id, measureText(measure, rows, plots));
  }
  const filled = fillPage(await readFile(PAGE, 'utf8'), texts);
  const style = await resolveConfig(PAGE);
  await writeFile(PAGE, await format(filled, { ...style, parser: 'markdown' }));
}

/** Those that the run has figures for. A plot of another run does not stay. */
async function drawPlots(rows: readonly Row[]): Promise<readonly Plot[]> {
  await mkdir(PLOT_FOLDER, { recursive: true });
  const drawn: Plot[] = [];
  for (const plot of PLOTS) {
    const path = join(PLOT_FOLDER, `${plot.file}.svg`);
    const spec = plotSpec(plot, rows);
    if (spec === null) {
      await rm(path, { force: true });
      continue;
    }
    await writeFile(path, await svgOf(spec));
    drawn.push(plot);
  }
  return drawn;
}

function runText({ date, commit, node, redis, cpu, cores, quick, durationS }: RunMeta): string {
  const minutes = Math.max(1, Math.round(durationS / 60));
  const form = quick ? 'the short form' : 'the full form';
  return (
    `Measured on ${date.slice(0, 10)} at commit \`${commit}\`, in ${form}, in ${minutes} minutes: ${cpu}, ${cores} cores, ` +
    `Node ${node.replace('v', '')}, Redis ${redis}, all on one machine over loopback.`
  );
}

function measureText(
  { id, how, goals }: Measure,
  rows: readonly Row[],
  plots: readonly Plot[],
): string {
  const its = rows.filter(({ measure }) => measure === id);
  if (its.length === 0) return [how, 'Not in this run.'].join('\n\n');
  const images = plots.map(({ title, file }) => `![${title}](benchmarks/${file}.svg)`);
  const goalLines = goals.length === 0 ? [] : [goalTable(goals, its)];
  return [how, ...goalLines, ...images, figureTables(its)].join('\n\n');
}
