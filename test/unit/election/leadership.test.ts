import { describe, expect, it } from '@jest/globals';
import { LeadershipLostError } from '../../../lib/election/election.errors.js';
import { Leadership } from '../../../lib/election/leadership.js';
import { LeaseTime } from '../../../lib/election/lease-time.js';
import { VirtualClock } from '../../support/election/virtual-clock.js';

function leadershipOf(validMs: number): {
  clock: VirtualClock;
  leadership: Leadership;
  at: number;
} {
  const clock = new VirtualClock();
  const time = new LeaseTime(clock);
  const at = time.now();
  return { clock, leadership: new Leadership('billing', 7, 1, time, at + validMs), at };
}

describe('a leadership', () => {
  it('rule 3: is valid until its deadline and not at it, with no timer involved', async () => {
    const { clock, leadership } = leadershipOf(100);

    await clock.advance(99);
    expect(leadership.isValid).toBe(true);
    await clock.advance(1);
    expect(leadership.isValid).toBe(false);
    expect(clock.pendingTimers).toBe(0);
  });

  it('is extended while it is valid, and never shortened', async () => {
    const { clock, leadership, at } = leadershipOf(100);

    await clock.advance(99);
    expect(leadership.extend(at + 200)).toBe(true);
    expect(leadership.extend(at + 150)).toBe(true);
    expect(leadership.deadline).toBe(at + 200);
    await clock.advance(100);
    expect(leadership.isValid).toBe(true);
  });

  it('rule 8: stays over once it is over, by the clock or by its end', async () => {
    const expired = leadershipOf(100);
    await expired.clock.advance(100);
    expect(expired.leadership.extend(expired.at + 1000)).toBe(false);
    expect(expired.leadership.isValid).toBe(false);

    const ended = leadershipOf(100);
    ended.leadership.end('taken');
    expect(ended.leadership.extend(ended.at + 1000)).toBe(false);
    expect(ended.leadership.isValid).toBe(false);
  });

  it('aborts its signal when it ends, once, with the first reason', () => {
    const { leadership } = leadershipOf(100);
    const { signal } = leadership;
    let aborts = 0;
    signal.addEventListener('abort', () => (aborts += 1));

    expect(signal.aborted).toBe(false);
    leadership.end('released');
    leadership.end('expired');

    expect(aborts).toBe(1);
    expect(signal.reason).toBeInstanceOf(LeadershipLostError);
    expect(signal.reason).toMatchObject({ election: 'billing', epoch: 7, reason: 'released' });
  });

  it('gives a signal that is aborted already to whoever asks after its end', () => {
    const { leadership } = leadershipOf(100);
    leadership.end('store-lost');
    expect(leadership.signal.aborted).toBe(true);
    expect(leadership.signal.reason).toMatchObject({ reason: 'store-lost' });
    expect(leadership.signal).toBe(leadership.signal);
  });
});
