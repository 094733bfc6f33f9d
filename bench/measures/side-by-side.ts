/** Which contestants are measured at the same time. */
import type { Contestant } from '../contestants/contestant.interface.js';
import { CONTESTANTS } from '../contestants/index.js';
import { OURS } from '../ours.js';

/** This library always alone; so many of its peers together. */
export function sideBySide(
  ids: readonly string[],
  peersAtOnce: number,
): readonly (readonly Contestant[])[] {
  const chosen = CONTESTANTS.filter(({ id }) => ids.includes(id));
  const peers = chosen.filter(({ id }) => id !== OURS);
  const groups = [chosen.filter(({ id }) => id === OURS)];
  for (let first = 0; first < peers.length; first += peersAtOnce) {
    groups.push(peers.slice(first, first + peersAtOnce));
  }
  return groups.filter(({ length }) => length > 0);
}
