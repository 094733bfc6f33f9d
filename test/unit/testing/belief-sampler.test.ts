/** Unit tests of the sampler that tells for how long a node said that it leads. */
import { describe, expect, it } from '@jest/globals';

import { BeliefSampler } from '../../../lib/testing/belief-sampler.js';
import type { BeliefEvent } from '../../../lib/testing/history.js';

interface Look {
  readonly at: number;
  readonly epoch: number | null;
}

function reportsOf(
  looks: readonly Look[],
): readonly (readonly [number, number, number, boolean])[] {
  let look: Look = { at: 0, epoch: null };
  const reports: BeliefEvent[] = [];
  const source = {
    get isLeader() {
      return look.epoch !== null;
    },
    get epoch() {
      return look.epoch;
    },
  };
  const sampler = new BeliefSampler(
    'A',
    source,
    () => look.at,
    (report) => reports.push(report),
  );
  for (look of looks) sampler.look();
  return reports.map(({ at, until, epoch, open }) => [at, until ?? -1, epoch, open === true]);
}

describe('BeliefSampler', () => {
  it('ends a belief at the last look that said yes, however long the pause after it', () => {
    const looks = [
      { at: 1, epoch: null },
      { at: 2, epoch: 7 },
      { at: 3, epoch: 7 },
      { at: 5000, epoch: null },
    ];
    expect(reportsOf(looks)).toEqual([[2, 3, 7, false]]);
  });

  it('counts a pause as belief when the node still says yes after it', () => {
    const looks = [
      { at: 1, epoch: 7 },
      { at: 5000, epoch: 7 },
      { at: 5001, epoch: null },
    ];
    expect(reportsOf(looks)).toEqual([
      [1, 5000, 7, true],
      [5000, 5000, 7, false],
    ]);
  });

  it('tells one leadership from the next, with no look between them', () => {
    const looks = [
      { at: 1, epoch: 7 },
      { at: 2, epoch: 8 },
      { at: 3, epoch: null },
    ];
    expect(reportsOf(looks)).toEqual([
      [1, 1, 7, false],
      [2, 2, 8, false],
    ]);
  });
});
