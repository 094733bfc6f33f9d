/** What a node still believed when it was last heard. */
import type { HistoryEvent } from '../../../lib/index.js';
import type { BeliefEvent } from '../../../lib/testing/history.js';

/** The belief that goes on, as far as was told; null when the node said no since, or never said yes. */
export function openBelief(history: readonly HistoryEvent[], node: string): BeliefEvent | null {
  for (let index = history.length - 1; index >= 0; index -= 1) {
    const event = history[index];
    if (event?.kind === 'belief' && event.node === node) return event.open === true ? event : null;
  }
  return null;
}

/** A killed node said that it leads until then, if it did before; its last words are lost. */
export function lastWords(
  history: readonly HistoryEvent[],
  node: string,
  killedAt: number,
): readonly HistoryEvent[] {
  const open = openBelief(history, node);
  if (open === null) return [];
  const { epoch, until: at = open.at } = open;
  return [{ kind: 'belief', node, at, until: Math.max(at, killedAt), epoch }];
}
