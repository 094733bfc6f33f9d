import { describe, expect, it } from '@jest/globals';
import type { LossReason } from '../../../lib/election/election.errors.js';
import type { ElectionState } from '../../../lib/election/election-events.interface.js';
import { Contest, TIMEOUT_MS, TTL_MS, type TestNode } from '../../support/election/candidates.js';
import type { Fault } from '../../support/election/scripted-store.js';

const OTHER = { nodeId: 'other', epoch: 5, metadata: {} };
const HELD = { granted: false, because: 'held', leader: OTHER, seenEpoch: 5, waitMs: 5000 };
const FREE = { granted: false, because: 'vanished', leader: null, seenEpoch: 5, waitMs: 5000 };
const GRANT = { granted: true, epoch: 6 };

/** From a state, by what the store answers next, to another. */
interface Step {
  readonly from: ElectionState;
  readonly by: string;
  readonly answer: Fault;
  readonly to: ElectionState;
  readonly reason?: LossReason;
}

const BRINGS: Partial<Record<ElectionState, Fault>> = {
  candidate: { answer: FREE },
  follower: { answer: HELD },
  leader: { answer: GRANT },
};

async function nodeIn(state: ElectionState): Promise<{ contest: Contest; node: TestNode }> {
  const contest = new Contest();
  const node = contest.join({ strict: true });
  node.store.next('acquire', BRINGS[state === 'draining' ? 'leader' : state] ?? {});
  await contest.advance(0);
  if (state === 'draining') {
    node.runs.begin();
    void node.candidate.stepDown(0);
  }
  expect(node.candidate.current.state).toBe(state);
  return { contest, node };
}

const yes = { renewed: true };
const taken = { renewed: false, because: 'taken', seenEpoch: 7 };
const gone = { renewed: false, because: 'gone', seenEpoch: 6 };

describe('the state after an answer', () => {
  const steps: readonly Step[] = [
    { from: 'candidate', by: 'a grant', answer: { answer: GRANT }, to: 'leader' },
    { from: 'candidate', by: 'a holder', answer: { answer: HELD }, to: 'follower' },
    { from: 'candidate', by: 'no holder', answer: { answer: FREE }, to: 'candidate' },
    { from: 'candidate', by: 'an error', answer: { fail: 'before' }, to: 'candidate' },
    { from: 'candidate', by: 'silence', answer: { lose: 'reply' }, to: 'candidate' },
    { from: 'follower', by: 'a grant', answer: { answer: GRANT }, to: 'leader' },
    { from: 'follower', by: 'a holder', answer: { answer: HELD }, to: 'follower' },
    { from: 'follower', by: 'no holder', answer: { answer: FREE }, to: 'candidate' },
    { from: 'follower', by: 'an error', answer: { fail: 'before' }, to: 'candidate' },
    { from: 'follower', by: 'silence', answer: { lose: 'reply' }, to: 'candidate' },
    { from: 'leader', by: 'a yes', answer: { answer: yes }, to: 'leader' },
    { from: 'leader', by: 'an error', answer: { fail: 'before' }, to: 'leader' },
    { from: 'leader', by: 'silence', answer: { lose: 'reply' }, to: 'leader' },
    { from: 'leader', by: '"taken"', answer: { answer: taken }, to: 'candidate', reason: 'taken' },
    {
      from: 'leader',
      by: '"gone"',
      answer: { answer: gone },
      to: 'candidate',
      reason: 'store-lost',
    },
    { from: 'draining', by: 'a yes', answer: { answer: yes }, to: 'draining', reason: 'released' },
    {
      from: 'draining',
      by: 'an error',
      answer: { fail: 'before' },
      to: 'draining',
      reason: 'released',
    },
    {
      from: 'draining',
      by: '"taken"',
      answer: { answer: taken },
      to: 'candidate',
      reason: 'taken',
    },
    {
      from: 'draining',
      by: '"gone"',
      answer: { answer: gone },
      to: 'candidate',
      reason: 'store-lost',
    },
  ];

  it.each(steps)('from $from by $by is $to', async ({ from, answer, to, reason }) => {
    const { contest, node } = await nodeIn(from);
    const held = from === 'leader' || from === 'draining';
    node.store.next(held ? 'renew' : 'acquire', answer);
    const isLost = held && to === 'candidate';
    if (isLost) node.store.next('acquire', { lose: 'reply' });

    node.store.reconnect();
    await contest.advance('lose' in answer ? TIMEOUT_MS + 2 : 1);

    expect(node.candidate.current).toMatchObject({
      state: to,
      isLeader: to === 'leader',
      epoch: to === 'leader' ? 6 : null,
      reason: reason ?? null,
    });
    expect(node.candidate.leadership?.epoch ?? null).toBe(to === 'leader' ? 6 : null);
    node.store.assertDone();
  });

  it.each(['candidate', 'follower', 'leader', 'draining'] as const)(
    'from %s by stop() is stopped, and stays it',
    async (from) => {
      const { contest, node } = await nodeIn(from);
      if (from === 'leader' || from === 'draining') node.store.next('release', { answer: true });
      if (from === 'draining')
        for (let time = 0; time < 3; time += 1) node.store.next('renew', { answer: yes });
      const endRun = node.runs.begin();
      void node.candidate.stop();
      endRun();
      await contest.advance(TTL_MS + 200);

      expect(node.candidate.current).toMatchObject({
        state: 'stopped',
        isLeader: false,
        leader: null,
      });
      node.store.reconnect();
      await contest.advance(2 * TTL_MS);
      expect(node.candidate.current.state).toBe('stopped');
      expect(node.clock.pendingTimers).toBe(0);
    },
  );

  it('a leader advertises itself, and a change carries the time at which it came to be', async () => {
    const { contest, node } = await nodeIn('leader');
    expect(node.candidate.current).toMatchObject({
      leader: { nodeId: 'a', epoch: 6, metadata: { url: 'http://a' } },
      since: contest.clock.wallMs(),
    });
  });
});
