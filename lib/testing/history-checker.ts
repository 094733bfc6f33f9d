/** Decides whether a recorded history keeps the promises of an election. Depends on no test runner and no platform. */
import type { HistoryEvent } from './history.js';
import type { Expectations, LedWithin, Violation } from './history-rules.js';
import { LeaderRules } from './leader-rules.js';
import { NodeRules } from './node-rules.js';
import { TimeRules } from './time-rules.js';
import { assertEvent, assertExpectations, assertFinite } from './valid-input.js';

/**
 * All that is wrong with this history; nothing when it is right. The events may come in any order; where several have
 * the same instant, those of one node in the order in which they happened. Leaderships that only touch do not overlap.
 *
 * @throws TypeError for an event that lacks its node, or has an unknown kind or a number that is not finite, and for an
 *   expectation that is none
 * @example
 * const history = [...eventsOf(a), ...eventsOf(b)];
 * expect(checkHistory(history, { ledWithin: [{ after: killedAt, withinMs: 3000, except: 'a' }] })).toEqual([]);
 *
 * @publicApi
 */
export function checkHistory(
  history: readonly HistoryEvent[],
  expected: Expectations = {},
): readonly Violation[] {
  assertExpectations(expected);
  const violations: Violation[] = [];
  const leaders = new LeaderRules(violations);
  const nodes = new NodeRules(violations);
  const { ledWithin, gracefulHandOverMs, excused } = expected;
  const bounded = gracefulHandOverMs !== undefined || (ledWithin?.length ?? 0) > 0;
  const times = bounded
    ? new TimeRules(violations, ledWithin ?? [], gracefulHandOverMs, excused ?? [])
    : null;
  for (const event of inOrder(history)) {
    leaders.see(event);
    nodes.see(event);
    times?.see(event);
  }
  times?.end();
  return violations;
}

/**
 * The first instant from `after` on at which somebody leads; null when there is none. For a test that waits for it, or
 * that measures how long a take-over took.
 *
 * @publicApi
 */
export function firstLedAfter(
  history: readonly HistoryEvent[],
  { after, except }: Pick<LedWithin, 'after' | 'except'>,
): number | null {
  assertFinite('after', after);
  let first: number | null = null;
  for (const event of history) {
    if ((event.kind !== 'belief' && event.kind !== 'granted') || event.node === except) continue;
    const reachesOver = event.kind === 'belief' && (event.until ?? event.at) > after;
    if (event.at < after && !reachesOver) continue;
    const at = Math.max(event.at, after);
    if (first === null || at < first) first = at;
  }
  return first;
}

/** The same array where it is in order already, as most are. */
function inOrder(history: readonly HistoryEvent[]): readonly HistoryEvent[] {
  let last = -Infinity;
  let isSorted = true;
  for (const event of history) {
    assertEvent(event);
    if (event.at < last) isSorted = false;
    last = event.at;
  }
  if (isSorted) return history;
  const events = [...history];
  events.sort((a, b) => a.at - b.at);
  return events;
}
