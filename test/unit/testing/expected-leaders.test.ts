/** What a caller may expect of a history: somebody leads in time, and leaderships are handed over in time. */
import { describe, expect, it } from '@jest/globals';

import { checkHistory, type Expectations, type HistoryEvent } from '../../../lib/index.js';
import { believes, ended, gone, granted, unreleased } from './events.js';

function rulesBroken(history: readonly HistoryEvent[], expected: Expectations) {
  return checkHistory(history, expected).map(({ rule }) => rule);
}

const within = (gracefulHandOverMs: number, excused?: Expectations['excused']): Expectations => ({
  gracefulHandOverMs,
  excused,
});

describe('the rule led-in-time', () => {
  const history = [
    granted('A', 0, 1),
    believes('A', 0, 190, 1),
    gone('A', 200),
    granted('B', 300, 2),
    believes('B', 301, 400, 2),
  ];
  const led = (after: number, withinMs: number, except?: string) =>
    rulesBroken(history, { ledWithin: [{ after, withinMs, except }] });

  it('finds that nobody led in time', () => {
    expect(led(200, 99.5)).toEqual(['led-in-time']);
    expect(led(200, 100)).toEqual([]);
    expect(led(400, 1000)).toEqual(['led-in-time']);
  });

  it('takes a leader that simply goes on for one that leads in time, unless it does not count', () => {
    expect(led(320, 0)).toEqual([]);
    expect(led(320, 0, 'B')).toEqual(['led-in-time']);
    expect(led(189, 0)).toEqual([]);
    expect(led(190, 0)).toEqual(['led-in-time']);
    expect(led(100, 199, 'A')).toEqual(['led-in-time']);
    expect(led(100, 200, 'A')).toEqual([]);
  });

  it('finds the other one that goes on while the one that does not count does too', () => {
    const both = [believes('A', 0, 50, 1), believes('B', 60, 100, 2), believes('A', 80, 120, 3)];
    const broken = rulesBroken(both, { ledWithin: [{ after: 90, withinMs: 0, except: 'A' }] });
    expect(broken).not.toContain('led-in-time');
  });

  it('judges each expectation, in whatever order they are given', () => {
    const ledWithin = [
      { after: 500, withinMs: 1 },
      { after: 200, withinMs: 1 },
      { after: 0, withinMs: 1 },
      { after: 201, withinMs: 99 },
    ];
    expect(checkHistory(history, { ledWithin })).toEqual([
      {
        rule: 'led-in-time',
        message: 'nobody led within 1 ms after 200.000: only after 100.000 ms',
      },
      { rule: 'led-in-time', message: 'nobody led within 1 ms after 500.000: never' },
    ]);
  });
});

describe('the rule handed-over-in-time', () => {
  const release = [granted('A', 0, 1), ended('A', 100, 1, 'released')];
  const next = [granted('B', 150, 2), believes('B', 150, 1000, 2)];

  it.each(['released', 'shutdown'])('finds a slow hand-over after an end as %s', (reason) => {
    const history = [granted('A', 0, 1), ended('A', 100, 1, reason), ...next];
    expect(rulesBroken(history, within(49))).toEqual(['handed-over-in-time']);
    expect(rulesBroken(history, within(50))).toEqual([]);
    expect(rulesBroken(history, {})).toEqual([]);
  });

  it('says who gave it back, when, and how long it took', () => {
    expect(checkHistory([...release, ...next], within(10))[0]?.message).toBe(
      'nobody but A led within 10 ms after 100.000, when A gave its lease back: only after 50.000 ms',
    );
  });

  it('finds that nobody ever took over, where the history is long enough to tell', () => {
    expect(rulesBroken([...release, gone('C', 150)], within(50))).toEqual([]);
    expect(rulesBroken([...release, gone('C', 151)], within(50))).toEqual(['handed-over-in-time']);
  });

  it('expects nothing of an end for another reason', () => {
    const history = [granted('A', 0, 1), ended('A', 100, 1, 'expired'), ...next];
    expect(rulesBroken(history, within(1))).toEqual([]);
  });

  it('expects nothing where the lease was not given back, or its holder got it again', () => {
    expect(rulesBroken([...release, unreleased('A', 101), ...next], within(1))).toEqual([]);
    expect(rulesBroken([...release, unreleased('C', 101), ...next], within(1))).toEqual([
      'handed-over-in-time',
    ]);
    const again = [...release, granted('A', 110, 2), gone('C', 999)];
    expect(rulesBroken(again, within(1))).toEqual([]);
  });

  it('expects nothing while faults make it impossible', () => {
    const history = [...release, ...next];
    const broken = ['handed-over-in-time'];
    expect(rulesBroken(history, within(10, [{ from: 0, until: 99 }]))).toEqual(broken);
    expect(rulesBroken(history, within(10, [{ from: 0, until: 100 }]))).toEqual([]);
    expect(rulesBroken(history, within(10, [{ from: 110 }]))).toEqual([]);
    expect(rulesBroken(history, within(10, [{ from: 111 }]))).toEqual(broken);
  });
});
