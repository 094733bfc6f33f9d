/** Each rule of the history checker: one history that breaks it, and one that is just inside. */
import { describe, expect, it } from '@jest/globals';

import {
  checkHistory,
  type Expectations,
  firstLedAfter,
  type HistoryEvent,
} from '../../../lib/index.js';
import { believes, campaigns, changed, ended, gone, granted, run, unreleased } from './events.js';

/** A leads and hands over to B, which is killed; C takes over. */
const RIGHT: readonly HistoryEvent[] = [
  granted('A', 0, 7),
  believes('A', 1, 50, 7),
  believes('A', 50, 90, 7),
  run('A', 60, 7),
  ended('A', 95, 7, 'shutdown'),
  gone('A', 99),
  granted('B', 100, 8),
  believes('B', 101, 190, 8),
  run('B', 150, 8),
  gone('B', 200),
  granted('C', 300, 9),
  believes('C', 301, 400, 9),
];

function rulesBroken(history: readonly HistoryEvent[], expected: Expectations = {}) {
  return checkHistory(history, expected).map(({ rule }) => rule);
}

describe('checkHistory', () => {
  it('finds nothing wrong with a right history, in whatever order it was recorded, also as JSON', () => {
    const expected = {
      ledWithin: [{ after: 200, withinMs: 100, except: 'B' }],
      gracefulHandOverMs: 5,
    };
    expect(checkHistory(RIGHT, expected)).toEqual([]);
    const backwards = [...RIGHT];
    backwards.reverse();
    const given = [...backwards];
    expect(checkHistory(backwards, expected)).toEqual([]);
    expect(backwards).toEqual(given);
    expect(checkHistory(JSON.parse(JSON.stringify(RIGHT)), expected)).toEqual([]);
    expect(checkHistory([])).toEqual([]);
  });

  it('says which nodes, epochs and instants break a rule', () => {
    const [violation] = checkHistory([believes('A', 0, 10, 1), believes('B', 5, 20, 2)]);
    expect(violation?.message).toBe(
      'B said that it leads with epoch 2 at 5.000 while A said that it leads with epoch 1 from 0.000 to 10.000',
    );
  });

  it('is quick with what was recorded in a long test', () => {
    const history: HistoryEvent[] = [];
    for (let epoch = 1; epoch <= 40_000; epoch += 1) {
      const node = `n${epoch % 100}`;
      history.push(granted(node, epoch, epoch), believes(node, epoch, epoch + 0.9, epoch));
      history.push(run(node, epoch + 0.5, epoch), ended(node, epoch + 0.9, epoch, 'released'));
    }
    const ledWithin = history.map(({ at }) => ({ after: at - 1, withinMs: 1 }));
    // Some 100 ms; with any loop inside a loop it takes minutes, and the test its timeout.
    expect(checkHistory(history, { ledWithin, gracefulHandOverMs: 0.2 })).toEqual([]);
  });
});

describe('the rule grants-and-ends-alternate', () => {
  it.each([
    ['two grants in a row', [granted('A', 0, 1), granted('A', 1, 2)]],
    ['an end without a grant', [ended('A', 0, 1, 'expired')]],
    [
      'two ends in a row',
      [granted('A', 0, 1), ended('A', 1, 1, 'taken'), ended('A', 2, 1, 'taken')],
    ],
    ['an end with another epoch', [granted('A', 0, 1), ended('A', 1, 2, 'expired')]],
    ['an end without a reason', [granted('A', 0, 1), ended('A', 1, 1)]],
  ])('finds %s', (_, history) => {
    expect(rulesBroken(history)).toEqual(['grants-and-ends-alternate']);
  });

  it('lets a node lead again, and another one while it does not know of its end', () => {
    const again = [granted('A', 0, 1), ended('A', 1, 1, 'taken'), granted('A', 2, 2)];
    expect(rulesBroken(again)).toEqual([]);
    expect(rulesBroken([granted('A', 0, 1), gone('A', 1), granted('A', 2, 2)])).toEqual([]);
    expect(rulesBroken([granted('A', 0, 1), granted('B', 1, 2)])).toEqual([]);
  });
});

describe('the rule runs-inside-leadership', () => {
  it.each([
    ['before the grant', [run('A', 0, 1), granted('A', 1, 1)]],
    ['after the end', [granted('A', 0, 1), ended('A', 1, 1, 'taken'), run('A', 2, 1)]],
    ['on another node', [granted('A', 0, 1), run('B', 1, 1)]],
    ['under another epoch', [granted('A', 0, 1), run('A', 1, 2)]],
  ])('finds a run %s', (_, history) => {
    expect(rulesBroken(history)).toContain('runs-inside-leadership');
  });

  it('takes what has the same instant in the order in which it was told', () => {
    const end = ended('A', 5, 1, 'released');
    expect(rulesBroken([granted('A', 5, 1), run('A', 5, 1), end])).toEqual([]);
    expect(rulesBroken([granted('A', 5, 1), end, run('A', 5, 1)])).toEqual([
      'runs-inside-leadership',
    ]);
  });
});

describe('the rule nothing-after-gone', () => {
  const life = [granted('A', 0, 1), believes('A', 0, 5, 1), gone('A', 5)];

  it.each([
    ['a belief', believes('A', 6, 6, 2)],
    ['a belief that goes on', believes('A', 4, 5.001, 1)],
    ['a run', run('A', 6, 2)],
    ['an end', ended('A', 6, 1, 'expired')],
    ['a lease that was not given back', unreleased('A', 6)],
  ])('finds %s', (_, event) => {
    expect(rulesBroken([...life, event])).toEqual(['nothing-after-gone']);
  });

  it('lets another life begin, with epochs of its own', () => {
    const again = [...life, gone('A', 6), changed('A', 7, campaigns())];
    expect(rulesBroken([...again, believes('A', 8, 9, 2), granted('A', 8, 2)])).toEqual([]);
    expect(rulesBroken([...again, believes('A', 8, 9, 1)])).toEqual(['epochs-grow']);
  });
});

describe('firstLedAfter', () => {
  it('says when somebody led first, also who simply goes on', () => {
    expect(firstLedAfter(RIGHT, { after: 200 })).toBe(300);
    expect(firstLedAfter(RIGHT, { after: 300 })).toBe(300);
    expect(firstLedAfter(RIGHT, { after: 320 })).toBe(320);
    expect(firstLedAfter(RIGHT, { after: 400 })).toBeNull();
    expect(firstLedAfter(RIGHT, { after: 95, except: 'B' })).toBe(300);
  });
});
