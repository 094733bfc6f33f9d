/** Where this library must be, and where it is. */
import type { Goal, Row } from '../measure.interface.js';
import { OURS } from '../ours.js';
import { statisticOf } from '../statistics.js';
import { markdownTable } from './markdown-table.js';
import { numberText } from './number.js';

/** '' where there are no goals. */
export function goalTable(goals: readonly Goal[], rows: readonly Row[]): string {
  if (goals.length === 0) return '';
  const lines = goals.flatMap((goal) => linesOf(goal, rows));
  return markdownTable(['goal', 'in the case', 'measured', 'result'], lines);
}

function linesOf(goal: Goal, rows: readonly Row[]): readonly (readonly string[])[] {
  const { figure, statistic, atMost } = goal;
  const its = rows.filter((row) => row.contestant === OURS && row.figure === figure);
  const text = `${figure}: ${statistic} ≤ ${numberText(atMost)}`;
  return (goal.cases ?? casesOf(its)).map((inCase) => {
    const row = its.find((each) => each.case === inCase);
    if (row === undefined || row.samples.length === 0) {
      return [text, inCase, 'not measured', '–'];
    }
    const measured = statisticOf(statistic, row.samples);
    const result = measured <= atMost ? 'met' : '**missed**';
    return [`${text} ${row.unit}`, inCase, `${numberText(measured)} ${row.unit}`, result];
  });
}

/** One line also where nothing was measured. */
function casesOf(rows: readonly Row[]): readonly string[] {
  return rows.length === 0 ? ['every'] : rows.map((row) => row.case);
}
