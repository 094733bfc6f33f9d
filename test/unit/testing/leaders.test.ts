/** The rules of the history checker about who leads: one at a time, under epochs that grow. */
import { describe, expect, it } from '@jest/globals';

import { checkHistory, type HistoryEvent } from '../../../lib/index.js';
import { believes, ended, gone, granted, run } from './events.js';

/** A leads and hands over to B. */
const RIGHT: readonly HistoryEvent[] = [
  granted('A', 0, 7),
  believes('A', 1, 90, 7),
  ended('A', 95, 7, 'shutdown'),
  granted('B', 100, 8),
  believes('B', 101, 190, 8),
];

function rulesBroken(history: readonly HistoryEvent[]) {
  return checkHistory(history).map(({ rule }) => rule);
}

function overlaps(history: readonly HistoryEvent[]) {
  return rulesBroken(history).filter((rule) => rule === 'one-leader');
}

describe('the rule one-leader', () => {
  it('finds two nodes that say at one time that they lead', () => {
    expect(rulesBroken([...RIGHT, believes('B', 89, 89.5, 8)])).toContain('one-leader');
  });

  it('lets one belief begin when the other has ended, and not sooner', () => {
    expect(rulesBroken([believes('A', 0, 10, 1), believes('B', 10, 20, 2)])).toEqual([]);
    expect(rulesBroken([believes('A', 0, 10, 1), believes('B', 9.999, 20, 2)])).toEqual([
      'one-leader',
    ]);
  });

  it('finds a single look that said yes while another led', () => {
    const look: HistoryEvent = { kind: 'belief', node: 'B', at: 5, epoch: 2 };
    expect(rulesBroken([believes('A', 0, 10, 1), look])).toEqual(['one-leader']);
    expect(rulesBroken([believes('A', 0, 5, 1), look])).toEqual([]);
  });

  it('tells an overlap of two leaderships once, in however many pieces, and each run in it', () => {
    const pieces = [
      believes('A', 0, 50, 1),
      believes('B', 10, 60, 2),
      believes('A', 50, 100, 1),
      believes('B', 60, 90, 2),
    ];
    expect(overlaps(pieces)).toHaveLength(1);
    const runs = [run('A', 70, 1), run('A', 80, 1)];
    expect(overlaps([...pieces, ...runs])).toHaveLength(3);
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

  it('lets a late notice of the end overlap, as after a pause, but not a belief or a run', () => {
    const paused = [
      granted('A', 0, 1),
      believes('A', 0, 10, 1),
      granted('B', 50, 2),
      believes('B', 51, 90, 2),
      ended('A', 80, 1, 'expired'),
    ];
    const both = ['one-leader', 'epochs-grow'];
    expect(rulesBroken(paused)).toEqual([]);
    expect(rulesBroken([...paused, believes('A', 79, 79, 1)])).toEqual(both);
    expect(rulesBroken([...paused, run('A', 79, 1)])).toEqual(both);
  });
});

describe('the rule epochs-grow', () => {
  it.each([
    ['appears twice', [granted('A', 0, 5), gone('A', 1), granted('B', 2, 5)]],
    ['goes back', [granted('A', 0, 5), gone('A', 1), granted('B', 2, 4)]],
    ['goes back on one node', [granted('A', 0, 5), ended('A', 1, 5, 'taken'), granted('A', 2, 4)]],
  ])('finds an epoch that %s', (_, history) => {
    expect(rulesBroken(history)).toEqual(['epochs-grow']);
  });

  it('lets an epoch leave some out', () => {
    expect(rulesBroken([granted('A', 0, 5), gone('A', 1), granted('B', 2, 999)])).toEqual([]);
  });

  it('finds a belief that goes on when a newer epoch is granted', () => {
    const granting = [granted('A', 0, 1), granted('B', 50, 2)];
    expect(rulesBroken([...granting, believes('A', 0, 50, 1)])).toEqual([]);
    expect(rulesBroken([...granting, believes('A', 0, 50.001, 1)])).toEqual(['epochs-grow']);
  });

  it('finds a belief and a run that begin after that', () => {
    const granting = [granted('A', 0, 1), granted('B', 50, 2)];
    expect(rulesBroken([...granting, run('A', 50, 1), believes('A', 50, 50, 1)])).toEqual([]);
    expect(rulesBroken([...granting, believes('A', 50.001, 52, 1)])).toEqual(['epochs-grow']);
    expect(rulesBroken([...granting, run('A', 50.001, 1)])).toEqual(['epochs-grow']);
  });

  it.each([
    ['a lower epoch', [believes('A', 0, 1, 9), believes('B', 2, 3, 5)]],
    ['the same epoch on another node', [believes('A', 0, 1, 9), believes('B', 2, 3, 9)]],
    ['a lower grant', [believes('B', 0, 1, 12), granted('C', 2, 10)]],
    ['the same grant to another node', [believes('B', 0, 1, 12), granted('C', 2, 12)]],
    [
      'the epoch of a leadership that ended',
      [granted('A', 0, 9), ended('A', 1, 9, 'released'), believes('B', 2, 3, 9)],
    ],
  ])('finds, after a belief as after a grant, %s', (_, history) => {
    expect(rulesBroken(history)).toEqual(['epochs-grow']);
  });

  it('finds it where only runs tell of the epochs', () => {
    const granting = [granted('A', 0, 1), granted('B', 1, 2)];
    expect(rulesBroken([...granting, run('B', 2, 4), granted('C', 3, 3)])).toEqual([
      'runs-inside-leadership',
      'epochs-grow',
    ]);
  });

  it('lets a node be seen to lead right before it tells of the grant, and once', () => {
    const seen = [believes('A', 0, 9, 1), granted('A', 0, 1)];
    expect(rulesBroken(seen)).toEqual([]);
    expect(rulesBroken([...seen, granted('A', 1, 1)])).toContain('epochs-grow');
  });

  it('finds a belief of the same instant as a newer grant, in either order', () => {
    const granting = [granted('A', 0, 1), granted('B', 50, 2)];
    const belief = believes('A', 50, 52, 1);
    expect(rulesBroken([...granting, belief])).toEqual(['epochs-grow']);
    expect(rulesBroken([belief, ...granting])).toEqual(['epochs-grow']);
  });
});
