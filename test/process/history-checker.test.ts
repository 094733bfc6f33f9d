/** Unit tests of the history checker: a right history passes, and each way to be wrong is found. */
import { describe, expect, it } from '@jest/globals';

import { checkHistory, firstLedAfter, type LedWithin } from '../support/history/history-checker.js';
import type { HistoryEvent } from '../support/history/history.js';

const granted = (node: string, at: number, epoch: number): HistoryEvent => ({
  kind: 'granted',
  node,
  at,
  epoch,
});
const ended = (node: string, at: number, epoch: number, reason?: string): HistoryEvent => ({
  kind: 'ended',
  node,
  at,
  epoch,
  reason,
});
const believes = (node: string, at: number, until: number, epoch: number): HistoryEvent => ({
  kind: 'belief',
  node,
  at,
  until,
  epoch,
});
const run = (node: string, at: number, epoch: number): HistoryEvent => ({
  kind: 'run',
  node,
  at,
  epoch,
});
const gone = (node: string, at: number): HistoryEvent => ({ kind: 'gone', node, at });

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

function rulesBroken(history: readonly HistoryEvent[], expected: readonly LedWithin[] = []) {
  return checkHistory(history, expected).map(({ rule }) => rule);
}

describe('checkHistory', () => {
  it('finds nothing wrong with a right history, in whatever order it was recorded', () => {
    const expected = [{ after: 200, withinMs: 101, except: 'B' }];
    expect(checkHistory(RIGHT, expected)).toEqual([]);
    const backwards = [...RIGHT];
    backwards.reverse();
    expect(checkHistory(backwards, expected)).toEqual([]);
    expect(checkHistory([])).toEqual([]);
  });

  it('finds two nodes that say at one instant that they lead', () => {
    expect(rulesBroken([...RIGHT, believes('B', 89, 89.5, 8)])).toContain('one-leader');
  });

  it('tells an overlap of two leaderships once, in however many pieces, and each run in it', () => {
    const pieces = [
      believes('A', 0, 50, 1),
      believes('B', 10, 60, 2),
      believes('A', 50, 100, 1),
      believes('B', 60, 90, 2),
    ];
    expect(rulesBroken(pieces)).toEqual(['one-leader']);
    const runs = [run('A', 70, 1), run('A', 80, 1)];
    const violations = checkHistory([...pieces, ...runs]);
    expect(violations.filter(({ rule }) => rule === 'one-leader')).toHaveLength(3);
  });

  it('finds an overlap with a long belief behind a short one', () => {
    const history = [
      believes('A', 0, 100, 1),
      believes('B', 110, 111, 2),
      believes('A', 105, 300, 1),
    ];
    expect(rulesBroken(history)).toContain('one-leader');
    const nested = [believes('A', 0, 100, 1), believes('A', 10, 20, 1), believes('B', 50, 60, 2)];
    expect(rulesBroken(nested)).toContain('one-leader');
  });

  it('lets one belief begin only after the other has ended', () => {
    expect(rulesBroken([believes('A', 0, 10, 1), believes('B', 10.001, 20, 2)])).toEqual([]);
    expect(rulesBroken([believes('A', 0, 10, 1), believes('B', 10, 20, 2)])).toEqual([
      'one-leader',
    ]);
  });

  it('lets a late notice of the end overlap, as after a pause, but not a belief or a run', () => {
    const paused = [
      granted('A', 0, 1),
      believes('A', 0, 10, 1),
      granted('B', 50, 2),
      believes('B', 51, 90, 2),
      ended('A', 80, 1, 'expired'),
    ];
    expect(rulesBroken(paused)).toEqual([]);
    expect(rulesBroken([...paused, believes('A', 79, 79, 1)])).toEqual([
      'one-leader',
      'epochs-grow',
    ]);
    expect(rulesBroken([...paused, run('A', 79, 1)])).toEqual(['one-leader', 'epochs-grow']);
  });

  it.each([
    ['appears twice', [granted('A', 0, 5), gone('A', 1), granted('B', 2, 5)]],
    ['goes back', [granted('A', 0, 5), gone('A', 1), granted('B', 2, 4)]],
    ['goes back on one node', [granted('A', 0, 5), ended('A', 1, 5, 'taken'), granted('A', 2, 4)]],
  ])('finds an epoch that %s', (_, history) => {
    expect(rulesBroken(history)).toEqual(['epochs-grow']);
  });

  it.each([
    ['two grants in a row', [granted('A', 0, 1), granted('A', 1, 2)]],
    ['an end without a grant', [ended('A', 0, 1, 'expired')]],
    [
      'two ends in a row',
      [granted('A', 0, 1), ended('A', 1, 1, 'taken'), ended('A', 2, 1, 'taken')],
    ],
    ['an end with another epoch', [granted('A', 0, 1), ended('A', 1, 2, 'expired')]],
    ['an end without a reason', [granted('A', 0, 1), ended('A', 1, 1)]],
    [
      'an end after the process was gone',
      [granted('A', 0, 1), gone('A', 1), ended('A', 2, 1, 'x')],
    ],
  ])('finds %s', (_, history) => {
    expect(rulesBroken(history)).toEqual(['grants-and-ends-alternate']);
  });

  it.each([
    ['before the grant', [run('A', 0, 1), granted('A', 1, 1)]],
    ['after the end', [granted('A', 0, 1), ended('A', 1, 1, 'taken'), run('A', 2, 1)]],
    ['on another node', [granted('A', 0, 1), run('B', 1, 1)]],
    ['under another epoch', [granted('A', 0, 1), run('A', 1, 2)]],
  ])('finds a run %s', (_, history) => {
    expect(rulesBroken(history)).toEqual(['runs-inside-leadership']);
  });

  it('finds that nobody led in time', () => {
    const late = { after: 200, withinMs: 100.5 };
    expect(rulesBroken(RIGHT, [late])).toEqual(['led-in-time']);
    expect(rulesBroken(RIGHT, [{ after: 401, withinMs: 1000 }])).toEqual(['led-in-time']);
    expect(rulesBroken(RIGHT, [{ after: 95, withinMs: 5 }])).toEqual(['led-in-time']);
  });

  it('takes a leader that simply goes on for one that leads in time, unless it does not count', () => {
    expect(rulesBroken(RIGHT, [{ after: 320, withinMs: 0 }])).toEqual([]);
    expect(rulesBroken(RIGHT, [{ after: 320, withinMs: 0, except: 'C' }])).toEqual(['led-in-time']);
    expect(firstLedAfter(RIGHT, { after: 200 })).toBe(301);
    expect(firstLedAfter(RIGHT, { after: 320 })).toBe(320);
    expect(firstLedAfter(RIGHT, { after: 400 })).toBeNull();
  });

  it('says which nodes, epochs and instants break a rule', () => {
    const [violation] = checkHistory([believes('A', 0, 10, 1), believes('B', 5, 20, 2)]);
    expect(violation?.message).toBe(
      'B said that it leads with epoch 2 at 5.000 while A said that it leads with epoch 1 from 0.000 to 10.000',
    );
  });
});
