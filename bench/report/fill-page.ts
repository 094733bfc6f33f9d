/** Puts what was measured into a page, between its markers. */
import { UsageError } from '../command-line.js';

/** Each text goes between `<!-- measured: <id> -->` and `<!-- /measured -->`. */
export function fillPage(page: string, texts: ReadonlyMap<string, string>): string {
  let filled = page;
  for (const [id, text] of texts) {
    const begin = `<!-- measured: ${id} -->`;
    const end = '<!-- /measured -->';
    const from = filled.indexOf(begin);
    const to = filled.indexOf(end, from);
    if (from < 0 || to < 0) {
      throw new UsageError(`--docs: the page has no place for '${id}': add ${begin} and ${end}`);
    }
    filled = `${filled.slice(0, from + begin.length)}\n\n${text}\n\n${filled.slice(to)}`;
  }
  return filled;
}
