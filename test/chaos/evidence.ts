/** What was going on around a finding: printed, and kept in a file. */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { HistoryEvent } from '../../lib/index.js';
import type { Run } from './run.js';

const KEEP_MS = 60_000;
const SHOW_MS = 8000;
const SHOW_LINES = 150;
const OUTPUT_CHARS = 20_000;

/** Returns the path of the file. */
export async function keepEvidence(run: Run, name: string): Promise<string> {
  const { findings, judge, faults, options, fleet } = run;
  const at = findings.all[0]?.at ?? 0;
  const near = (from: number, until: number) => until >= at - KEEP_MS && from <= at + KEEP_MS;
  const history = judge.history.filter((event) => near(event.at, endOf(event)));
  const evidence = {
    topology: name,
    options,
    findings: findings.all,
    faults: faults.filter(({ from, until }) => near(from, until)),
    outputs: fleet.outputs(OUTPUT_CHARS),
    history,
  };
  const directory = await mkdtemp(
    join(process.env['CHAOS_KEEP'] ?? tmpdir(), 'leader-election-chaos-'),
  );
  const file = join(directory, `${name}-${options.seed}.json`);
  await writeFile(file, JSON.stringify(evidence, null, 1));
  return file;
}

/** The last seconds before the first finding, one line for each thing that happened. */
export function transcriptOf({ findings, judge, faults }: Run): string {
  const at = findings.all[0]?.at ?? 0;
  const lines: { readonly at: number; readonly text: string }[] = [];
  for (const { kind, from, until, failed } of faults) {
    lines.push({ at: from, text: `FAULT ${kind} begins` });
    lines.push({
      at: until,
      text: `FAULT ${kind} ends${failed === undefined ? '' : `: ${failed}`}`,
    });
  }
  for (const event of joined(judge.history)) lines.push({ at: event.at, text: textOf(event) });
  lines.sort((a, b) => a.at - b.at);
  const shown = lines.filter((line) => line.at >= at - SHOW_MS && line.at <= at);
  return shown
    .slice(-SHOW_LINES)
    .map((line) => `${line.at.toFixed(1).padStart(14)}  ${line.text}`)
    .join('\n');
}

/** The pieces of one belief as one, and runs left out: there are too many of them. */
function joined(history: readonly HistoryEvent[]): readonly HistoryEvent[] {
  const beliefs = new Map<string, Extract<HistoryEvent, { kind: 'belief' }>>();
  const rest: HistoryEvent[] = [];
  for (const event of history) {
    if (event.kind === 'run') continue;
    if (event.kind !== 'belief') {
      rest.push(event);
      continue;
    }
    const key = `${event.node} ${event.epoch}`;
    const before = beliefs.get(key);
    const at = Math.min(event.at, before?.at ?? event.at);
    beliefs.set(key, { ...event, at, until: Math.max(endOf(event), before?.until ?? 0) });
  }
  return [...rest, ...beliefs.values()];
}

function textOf(event: HistoryEvent): string {
  const { kind, node } = event;
  switch (kind) {
    case 'belief':
      return `${node} said that it leads with ${event.epoch}, until ${endOf(event).toFixed(1)}`;
    case 'changed':
      return `${node} is ${event.change.state}, ${event.change.epoch}, ${event.change.reason}`;
    case 'granted':
      return `${node} granted ${event.epoch}`;
    case 'ended':
      return `${node} ended ${event.epoch}, ${event.reason}`;
    default:
      return `${node} ${kind}`;
  }
}

function endOf(event: HistoryEvent): number {
  return event.kind === 'belief' ? (event.until ?? event.at) : event.at;
}
