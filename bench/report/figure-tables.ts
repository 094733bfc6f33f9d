/** The figures of one measure as Markdown tables. */
import type { Row } from '../measure.interface.js';
import { maximum, median, percentile } from '../statistics.js';
import { markdownTable } from './markdown-table.js';
import { numberText } from './number.js';

/** With fewer samples the nearest rank of p99 is the largest one. */
const P99_FROM = 100;

type Field = 'contestant' | 'case' | 'figure';

/** How many figures are shown for each set of samples. */
type Detail = 'value' | 'median / max' | 'median / p99 / max';

/**
 * Contestant by case for each figure; where there is but one contestant or one case, a single table has all figures
 * beside each other.
 */
export function figureTables(rows: readonly Row[]): string {
  if (rows.length === 0) return 'No figures.';
  const figures = distinct(rows, 'figure');
  if (distinct(rows, 'contestant').length === 1) return table(rows, 'figure', 'case');
  if (distinct(rows, 'case').length === 1) return table(rows, 'contestant', 'figure');
  return figures
    .map((figure) => rows.filter((row) => row.figure === figure))
    .map((its) => `**${captionOf(its)}**\n\n${table(its, 'contestant', 'case')}`)
    .join('\n\n');
}

function table(rows: readonly Row[], down: Field, across: Field): string {
  const columns = distinct(rows, across).map((name) => rows.filter((row) => row[across] === name));
  const lines = distinct(rows, down).map((name) => {
    const line = rows.filter((row) => row[down] === name);
    const cells = columns.map((column) => {
      const detail = detailOf(down === 'figure' ? line : column);
      return cellOf(
        line.find((row) => column.includes(row)),
        detail,
      );
    });
    return [headingOf(line, down), ...cells];
  });
  return markdownTable([down, ...columns.map((column) => headingOf(column, across))], lines);
}

/** Of what has this in common. */
function headingOf(rows: readonly Row[], field: Field): string {
  const name = rows[0]?.[field] ?? '';
  return field === 'figure' ? captionOf(rows) : name;
}

/** Of rows of one figure. */
function captionOf(rows: readonly Row[]): string {
  const [row] = rows;
  const detail = detailOf(rows);
  return `${row?.figure}, ${row?.unit}${detail === 'value' ? '' : ` (${detail})`}`;
}

function cellOf(row: Row | undefined, detail: Detail): string {
  if (row === undefined || row.samples.length === 0) return '–';
  const { samples } = row;
  const figures = [median(samples)];
  if (detail === 'median / p99 / max') figures.push(percentile(samples, 0.99));
  if (detail !== 'value') figures.push(maximum(samples));
  return figures.map((figure) => numberText(figure)).join(' / ');
}

function detailOf(rows: readonly Row[]): Detail {
  const most = Math.max(...rows.map(({ samples }) => samples.length));
  if (most >= P99_FROM) return 'median / p99 / max';
  return most > 1 ? 'median / max' : 'value';
}

function distinct(rows: readonly Row[], field: Field): readonly string[] {
  return [...new Set(rows.map((row) => row[field]))];
}
