/** What several servers say together when no majority of them grants. */
import { describe, expect, it } from '@jest/globals';
import type { LeaderInfo } from '../../lib/election/lease-store.interface.js';
import { type Refused, refusalOf, sightOf } from '../../lib/stores/quorum/refusal.js';

const leader = (nodeId: string, epoch: number): LeaderInfo => ({ nodeId, epoch, metadata: {} });
const refused = (over: Partial<Refused> = {}): Refused => ({
  granted: false,
  because: 'held',
  leader: null,
  seenEpoch: 1,
  seenTtlMs: 100,
  waitMs: 50,
  ...over,
});
const held = (nodeId: string, epoch: number, waitMs: number) =>
  refused({ leader: leader(nodeId, epoch), waitMs });

describe('A refusal by several servers', () => {
  it.each<[string, Refused[], number, Partial<Refused>, boolean]>([
    [
      'a leader has all three',
      [held('a', 7, 30), held('a', 7, 50), held('a', 7, 40)],
      0,
      { waitMs: 40, leader: leader('a', 7) },
      false,
    ],
    [
      'a leader has two and one is free',
      [held('a', 7, 30), held('a', 7, 50)],
      1,
      { waitMs: 30, leader: leader('a', 7) },
      false,
    ],
    [
      'a leader has two and one gives no answer',
      [held('a', 7, 30), held('a', 7, 50)],
      0,
      { waitMs: 50 },
      false,
    ],
    [
      'another candidate got one, and this one got one',
      [held('b', 7, 90)],
      1,
      { leader: null, because: 'held' },
      true,
    ],
    [
      'three candidates got one each',
      [held('b', 7, 90), held('c', 7, 90)],
      1,
      { leader: null },
      true,
    ],
    [
      'the same node at two epochs is no leader',
      [held('b', 7, 90), held('b', 8, 90)],
      1,
      { leader: null },
      true,
    ],
    [
      'another got one and one holds off',
      [held('b', 7, 90), refused({ because: 'hold-off', waitMs: 60 })],
      1,
      { because: 'held' },
      true,
    ],
    [
      'one has a leader and one has lost its data: nobody waits for that one',
      [held('a', 7, 90), refused({ because: 'hold-off', waitMs: 60 })],
      0,
      { because: 'held', leader: leader('a', 7), waitMs: 90 },
      false,
    ],
    [
      'two hold off',
      [refused({ because: 'hold-off', waitMs: 60 }), refused({ because: 'hold-off', waitMs: 90 })],
      1,
      { because: 'hold-off', waitMs: 60 },
      false,
    ],
    [
      'a lease vanished on two',
      [refused({ because: 'vanished', waitMs: 70 }), refused({ because: 'vanished', waitMs: 20 })],
      1,
      { because: 'vanished', waitMs: 20 },
      false,
    ],
    [
      'a later try of this candidate was granted',
      [refused({ because: 'outdated', waitMs: 0 }), refused({ because: 'outdated', waitMs: 0 })],
      0,
      { because: 'outdated' },
      false,
    ],
  ])('%s', (_, refusals, free, expected, contended) => {
    const joint = refusalOf(refusals, free, 3);
    expect(joint).toMatchObject({ refused: expected, contended });
  });

  it('knows the highest epoch and the longest lease of all', () => {
    const sights = [
      refused({ seenEpoch: 3, seenTtlMs: 500 }),
      refused({ seenEpoch: 9, seenTtlMs: 100 }),
    ];
    expect(sightOf(sights, 3)).toMatchObject({ seenEpoch: 9, seenTtlMs: 500 });
  });
});
