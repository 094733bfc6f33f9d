/** When nobody led, and after which fault. */
import type { HistoryEvent } from '../../lib/index.js';
import type { PlayedFault } from './faults/fault.interface.js';

/** A fault is noted a little later than a worker may feel it. */
const ROUNDING_MS = 5;

export interface Gap {
  readonly from: number;
  readonly until: number;
  readonly after: string;
}

/** From the first leadership to the last, each with the fault that ended the leadership before it. */
export function gapsIn(
  history: readonly HistoryEvent[],
  faults: readonly PlayedFault[],
  ttlMs: number,
): readonly Gap[] {
  const beliefs = history.filter((event) => event.kind === 'belief');
  beliefs.sort((a, b) => a.at - b.at);
  const gaps: Gap[] = [];
  let last = beliefs[0];
  for (const belief of beliefs) {
    if (last === undefined) break;
    const { node, at: ledAt, until: ledUntil = ledAt } = last;
    if (belief.at > ledUntil) {
      const after = causeOf(node, ledUntil, faults, ttlMs);
      gaps.push({ from: ledUntil, until: belief.at, after });
    }
    if ((belief.until ?? belief.at) >= ledUntil) last = belief;
  }
  return gaps;
}

/** The last one that hit this worker, or everybody, and could still tell. */
function causeOf(node: string, at: number, faults: readonly PlayedFault[], ttlMs: number): string {
  let cause: PlayedFault | null = null;
  for (const fault of faults) {
    if (fault.node !== undefined && fault.node !== node) continue;
    const tells = fault.from <= at + ROUNDING_MS && fault.until + ttlMs >= at;
    if (tells && (cause === null || fault.from > cause.from)) cause = fault;
  }
  return cause?.kind ?? 'nothing';
}
