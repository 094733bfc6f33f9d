/** When nobody led, and after which fault. */
import type { HistoryEvent } from '../../lib/index.js';
import type { PlayedFault } from './faults/fault.interface.js';

export interface Gap {
  readonly from: number;
  readonly until: number;
  readonly after: string;
}

/** From the first leadership to the last. A gap is put down to the fault that told for the longest part of it. */
export function gapsIn(
  history: readonly HistoryEvent[],
  faults: readonly PlayedFault[],
  ttlMs: number,
): readonly Gap[] {
  const beliefs = history.filter((event) => event.kind === 'belief');
  beliefs.sort((a, b) => a.at - b.at);
  const gaps: Gap[] = [];
  let ledUntil = beliefs[0]?.at ?? 0;
  for (const { at, until = at } of beliefs) {
    if (at > ledUntil) {
      const gap = { from: ledUntil, until: at };
      gaps.push({ ...gap, after: causeOf(gap, faults, ttlMs) });
    }
    ledUntil = Math.max(ledUntil, until);
  }
  return gaps;
}

function causeOf(gap: Omit<Gap, 'after'>, faults: readonly PlayedFault[], ttlMs: number): string {
  let cause = 'nothing';
  let longestMs = 0;
  for (const { kind, from, until } of faults) {
    const toldMs = Math.min(until + ttlMs, gap.until) - Math.max(from, gap.from);
    if (toldMs < longestMs || toldMs <= 0) continue;
    longestMs = toldMs;
    cause = kind;
  }
  return cause;
}
