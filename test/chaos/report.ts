/** What a person reads at the end. */
import { percentile } from '../support/process/report.js';
import { growthOf } from './memory.js';
import type { Result } from './play-topology.js';

const NOTHING = '–';

export function reportOf(results: readonly Result[]): string {
  return [
    table(['', ...results.map(({ name }) => name)], summaryRows(results)),
    '',
    'Faults played (some could not be), and ms without a leader after those that ended a leadership:',
    table(['', ...results.map(({ name }) => name)], faultRows(results)),
  ].join('\n');
}

function summaryRows(results: readonly Result[]): readonly string[][] {
  const row = (what: string, of: (result: Result) => string) => [what, ...results.map(of)];
  return [
    row('minutes', ({ figures }) => (figures.ranMs / 60_000).toFixed(1)),
    row('seed', ({ seed }) => String(seed)),
    row('lease ms, workers, acks', ({ ttlMs, workers, acks }) => `${ttlMs}, ${workers}, ${acks}`),
    row('faults', ({ faults }) => String(faults.length)),
    row('leaderships', ({ leaderships }) => String(leaderships)),
    row('leaderless s (part)', leaderless),
    row('longest leaderless ms', ({ gaps }) => most(gaps.map(({ from, until }) => until - from))),
    row('two leaders', count('one-leader')),
    row('epochs repeated or back', count('epochs-grow')),
    row('other findings', others),
    row('led after faults ms', ({ figures }) => spread(figures.recoveriesMs)),
    row('hand-over ms', ({ figures }) => spread(figures.handOversMs)),
    row('failover ms', ({ figures }) => spread(figures.failovers.map((each) => each.failoverMs))),
    row('  led again ms', ({ figures }) =>
      spread(figures.failovers.map((each) => each.ledAgainMs)),
    ),
    row('log lines a minute', ({ figures }) => figures.lineRate.toFixed(0)),
    row('heap growth MiB', ({ figures }) => mib(growthOf(figures))),
  ];
}

function faultRows(results: readonly Result[]): readonly string[][] {
  const kinds = new Set(results.flatMap(({ faults }) => faults.map(({ kind }) => kind)));
  const sorted = [...kinds];
  sorted.sort();
  return sorted.map((kind) => [
    kind,
    ...results.map(({ faults, gaps }) => {
      const played = faults.filter((fault) => fault.kind === kind);
      if (played.length === 0) return NOTHING;
      const failed = played.filter((fault) => fault.failed !== undefined).length;
      const after = gaps.filter((gap) => gap.after === kind).map(({ from, until }) => until - from);
      const times = after.length === 0 ? '' : `: ${spread(after)}`;
      return `${played.length}${failed > 0 ? ` (${failed} not)` : ''}${times}`;
    }),
  ]);
}

function leaderless({ gaps, figures }: Result): string {
  let totalMs = 0;
  for (const { from, until } of gaps) totalMs += until - from;
  const percent = (100 * totalMs) / Math.max(1, figures.ranMs);
  return `${(totalMs / 1000).toFixed(1)} (${percent.toFixed(0)} %)`;
}

function count(rule: string): (result: Result) => string {
  return ({ findings }) => String(findings.filter((each) => each.rule === rule).length);
}

function others({ findings }: Result): string {
  const rules = findings.map(({ rule }) => rule);
  const rest = new Set(rules.filter((rule) => rule !== 'one-leader' && rule !== 'epochs-grow'));
  return rest.size === 0 ? '0' : [...rest].join(' ');
}

/** The middle one and the largest. */
function spread(values: readonly number[]): string {
  if (values.length === 0) return NOTHING;
  return `${percentile(values, 0.5).toFixed(0)}, max ${most(values)}`;
}

function most(values: readonly number[]): string {
  let largest = 0;
  for (const value of values) largest = Math.max(largest, value);
  return largest.toFixed(0);
}

function mib(bytes: number | null): string {
  return bytes === null ? NOTHING : (bytes / 2 ** 20).toFixed(1);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
