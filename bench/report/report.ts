/** What is printed of a run. */
import type { Measure, Row } from '../measure.interface.js';
import { compare, comparisonTable, NOISE } from './compare.js';
import { figureTables } from './figure-tables.js';
import { goalTable } from './goal-table.js';
import type { RunMeta, SavedRun } from './saved-run.js';

/** Rows of other measures are left aside. */
export function measureReport(
  { id, title, goals }: Measure,
  rows: readonly Row[],
  saved: SavedRun | null,
): string {
  const its = rows.filter(({ measure }) => measure === id);
  const parts = [`## ${title}`, figureTables(its)];
  if (goals.length > 0) parts.push('**Goals**', goalTable(goals, its));
  if (saved !== null) {
    parts.push('**Beside the saved run** (medians)', comparisonTable(compare(its, saved.rows)));
  }
  return parts.join('\n\n');
}

/** How to read the comparison, and what else differs. */
export function comparisonNotes(now: RunMeta, saved: RunMeta): string {
  const differing = (['node', 'redis', 'cpu', 'cores', 'quick'] as const)
    .filter((field) => now[field] !== saved[field])
    .map((field) => `${field} is ${now[field]} now and was ${saved[field]}`);
  const of = `The saved run is of ${saved.date}, commit ${saved.commit}.`;
  const notes = [NOISE, of];
  if (differing.length > 0) notes.push(`Beware: ${differing.join('; ')}.`);
  return `${notes.join('\n')}\n`;
}
