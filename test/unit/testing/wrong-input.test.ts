/** What the history checker refuses, since its rules could only overlook it. */
import { describe, expect, it } from '@jest/globals';

import {
  checkHistory,
  type Expectations,
  firstLedAfter,
  type HistoryEvent,
} from '../../../lib/index.js';
import { believes, changed, ended, gone, granted, leads, run } from './events.js';

describe('checkHistory throws for', () => {
  it.each<[string, string, unknown]>([
    ['nothing', 'an event', null],
    ['no instant', '`at`', { ...gone('A', 0), at: undefined }],
    ['an instant that is no number', '`at`', { ...gone('A', 0), at: NaN }],
    ['an endless instant', '`at`', { ...gone('A', 0), at: Infinity }],
    ['no node', '`node`', { ...gone('A', 0), node: undefined }],
    ['a node without a name', '`node`', gone('', 0)],
    ['a node that is a number', '`node`', { ...gone('A', 0), node: 7 }],
    ['a kind that there is not', '`kind`', { kind: 'graned', node: 'A', at: 0 }],
    ['a grant of no number', '`epoch`', granted('A', 0, NaN)],
    ['an end of no epoch', '`epoch`', { ...ended('A', 0, 1, 'taken'), epoch: undefined }],
    ['a run of an endless epoch', '`epoch`', run('A', 0, Infinity)],
    ['a belief in no number', '`epoch`', believes('A', 0, 1, NaN)],
    ['a belief that ends before it begins', '`until`', believes('A', 1, 0.999, 1)],
    ['an endless belief, as JSON', '`until`', { ...believes('A', 0, 1, 1), until: null }],
    ['a belief until no number', '`until`', believes('A', 0, NaN, 1)],
    ['a change to nothing', '`change`', { ...changed('A', 0, leads(1)), change: undefined }],
    ['a change to no number', '`epoch`', changed('A', 0, leads(NaN))],
  ])('an event with %s, and names it', (_, named, event) => {
    for (const history of [[event], [granted('Z', 5, 1), event, gone('Z', 6)]]) {
      const check = () => checkHistory(history as HistoryEvent[]);
      expect(check).toThrow(TypeError);
      expect(check).toThrow(`Expected ${named}`);
    }
  });

  it('says which event it is', () => {
    expect(() => checkHistory([granted('A', 0, NaN)])).toThrow(
      'Expected `epoch` to be a finite number, got NaN. In {"kind":"granted","node":"A","at":0,"epoch":null}.',
    );
  });

  it.each<[string, unknown]>([
    ['`ledWithin[0].after`', { ledWithin: [{ after: NaN, withinMs: 1 }] }],
    ['`ledWithin[1].withinMs`', { ledWithin: [{ after: 0, withinMs: 1 }, { after: 0 }] }],
    ['`ledWithin[0].withinMs`', { ledWithin: [{ after: 0, withinMs: -1 }] }],
    ['`ledWithin[0].except`', { ledWithin: [{ after: 0, withinMs: 1, except: 7 }] }],
    ['`exept` in ledWithin[0]', { ledWithin: [{ after: 0, withinMs: 1, exept: 'A' }] }],
    ['`ledWithin`', { ledWithin: { after: 0, withinMs: 1 } }],
    ['`ledWithin[0]`', { ledWithin: [null] }],
    ['`ledIn` in the expectations', { ledIn: [] }],
    ['`gracefulHandOverMs`', { gracefulHandOverMs: NaN }],
    ['`excused[0].from`', { excused: [{ until: 5 }] }],
    ['`excused[0].until`', { excused: [{ from: 0, until: NaN }] }],
    ['`to` in excused[0]', { excused: [{ from: 0, to: 5 }] }],
  ])('a wrong %s', (named, expected) => {
    const check = () => checkHistory([], expected as Expectations);
    expect(check).toThrow(TypeError);
    expect(check).toThrow(named);
  });

  it('as firstLedAfter does', () => {
    expect(() => firstLedAfter([], { after: NaN })).toThrow('`after`');
  });
});
