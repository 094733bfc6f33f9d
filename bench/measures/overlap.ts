/** For how long two said to lead at once. */
import type { Interval } from '../candidates/belief.js';

/** In milliseconds; each candidate brings the intervals in which it said so. */
export function overlapMs(candidates: readonly (readonly Interval[])[]): number {
  const turns = candidates.flat().flatMap(({ from, until }) => [
    { at: from, change: 1 },
    { at: until, change: -1 },
  ]);
  turns.sort((a, b) => a.at - b.at || a.change - b.change);
  let leaders = 0;
  let since = 0;
  let total = 0;
  for (const { at, change } of turns) {
    if (leaders > 1) total += at - since;
    leaders += change;
    since = at;
  }
  return total;
}

/** What is left of the intervals without that time. */
export function without(
  intervals: readonly Interval[],
  { from, until }: Interval,
): readonly Interval[] {
  return intervals
    .flatMap((one) => [
      { from: one.from, until: Math.min(one.until, from) },
      { from: Math.max(one.from, until), until: one.until },
    ])
    .filter((one) => one.from < one.until);
}
