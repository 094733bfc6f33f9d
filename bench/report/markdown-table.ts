/** A Markdown table. */

/** The first column is of names, the others of figures. */
export function markdownTable(
  header: readonly string[],
  lines: readonly (readonly string[])[],
): string {
  const rule = header.map((_, column) => (column === 0 ? ':--' : '--:'));
  return [header, rule, ...lines]
    .map((cells) => `| ${cells.map(escaped).join(' | ')} |`)
    .join('\n');
}

function escaped(cell: string): string {
  return cell.replaceAll('|', String.raw`\|`);
}
