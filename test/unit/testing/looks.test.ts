/** How looks at candidates on virtual time become the beliefs of a history. */
import { describe, expect, it } from '@jest/globals';

import { History, type Seen } from '../../support/election/history.js';

const seen = (name: string, epoch: number | null): Seen => ({
  name,
  candidate: { leadership: epoch === null ? null : { epoch } },
});

/** Each row: the time, and the epochs of A and B. */
function historyOf(...looks: readonly (readonly [number, number | null, number | null])[]) {
  const history = new History();
  for (const [at, a, b] of looks) history.look(at, [seen('A', a), seen('B', b)]);
  return history;
}

describe('looks on virtual time', () => {
  it('finds two that lead at one look', () => {
    const history = historyOf([0, 1, null], [5, 1, 2], [5, null, 2]);
    expect(() => history.verify()).toThrow('one-leader: B said');
  });

  it('takes one after the other for that, also where no time has passed', () => {
    const history = historyOf(
      [0, 1, null],
      [5, 1, null],
      [5, null, null],
      [5, null, 2],
      [9, null, 2],
    );
    history.verify();
    expect(history.beliefs).toMatchObject([
      { node: 'A', at: 0, open: false },
      { node: 'B', open: true },
    ]);
    expect(history.gaps()[0]).toBeLessThan(0.001);
  });

  it('tells one leadership of a candidate from its next', () => {
    const { beliefs } = historyOf([0, 1, null], [5, 2, null], [9, 2, null]);
    expect(beliefs).toMatchObject([
      { epoch: 1, at: 0, until: 5 },
      { epoch: 2, at: 5, until: 9 },
    ]);
  });
});
