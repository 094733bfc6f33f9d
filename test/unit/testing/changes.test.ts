/** The rule of the history checker about the values of `leadership$`. */
import { describe, expect, it } from '@jest/globals';

import { checkHistory, type LeadershipChange } from '../../../lib/index.js';
import { campaigns, changed, drains, follows, gone, leads, stops } from './events.js';

function complaintsAbout(...changes: readonly LeadershipChange[]) {
  return checkHistory(changes.map((change, at) => changed('A', at, change)));
}

describe('the rule changes-make-sense', () => {
  it.each([
    [
      'a life',
      [campaigns(), follows(1), leads(2), campaigns('expired'), leads(3), drains(3, 'shutdown')],
    ],
    ['a drain to its end', [leads(1), drains(1, 'shutdown'), stops('shutdown')]],
    ['a drain that is cut short', [leads(1), drains(1, 'released'), campaigns('expired')]],
    ['another leader', [follows(1), follows(2)]],
    ['a stop of a follower', [follows(1), stops()]],
  ])('accepts %s', (_, changes) => {
    expect(complaintsAbout(...changes)).toEqual([]);
  });

  it.each([
    ['repeats follower', [follows(1), { ...follows(1), since: 5 }]],
    ['repeats leader', [leads(1), { ...leads(1), reason: 'expired' as const }]],
    ['says isLeader true as follower', [{ ...leads(1), state: 'follower' as const }]],
    ['says isLeader false as leader', [{ ...follows(1), state: 'leader' as const }]],
    ['says epoch 1 as follower', [{ ...follows(1), epoch: 1 }]],
    ['says epoch null as leader', [{ ...leads(1), epoch: null }]],
    ['lost without a reason', [leads(1), campaigns()]],
    ['lost without a reason', [leads(1), drains(1, null)]],
    ['says taken without a loss', [follows(1), campaigns('taken')]],
    ['says shutdown without a loss', [follows(1), stops('shutdown')]],
    ['is candidate after it stopped', [stops(), campaigns()]],
  ])('finds a node that %s', (what, changes) => {
    expect(complaintsAbout(...changes)).toEqual([
      { rule: 'changes-make-sense', message: `A ${what} at ${changes.length - 1}.000` },
    ]);
  });

  it('follows each node by itself, and from its restart', () => {
    const history = [
      changed('A', 0, follows(1)),
      changed('B', 1, follows(1)),
      changed('A', 2, stops()),
      gone('A', 3),
      changed('A', 4, campaigns()),
    ];
    expect(checkHistory(history)).toEqual([]);
  });
});
