import { describe, expect, it } from '@jest/globals';
import { VirtualClock } from '../../support/election/virtual-clock.js';

describe('the virtual clock', () => {
  it('fires timers in the order of their time, and lets promises settle in between', async () => {
    const clock = new VirtualClock();
    const seen: string[] = [];
    clock.setTimer(() => seen.push(`late ${clock.elapsedMs}`), 20);
    clock.setTimer(() => {
      seen.push(`early ${clock.elapsedMs}`);
      void Promise.resolve().then(() => seen.push('settled'));
      clock.setTimer(() => seen.push(`nested ${clock.elapsedMs}`), 5);
    }, 10);
    clock.setTimer(() => seen.push('cancelled'), 11)();

    await clock.advance(20);

    expect(seen).toEqual(['early 10', 'settled', 'nested 15', 'late 20']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('fires nothing while the loop is blocked, and all that came due afterwards', async () => {
    const clock = new VirtualClock();
    const other = clock.fork();
    const seen: string[] = [];
    clock.setTimer(() => seen.push(`mine ${clock.elapsedMs}`), 10);
    other.setTimer(() => seen.push(`other ${clock.elapsedMs}`), 20);

    await clock.block(30);

    expect(seen).toEqual(['other 20', 'mine 30']);
  });

  it('stops the monotonic clock and the timers of a suspended machine, but not its wall clock', async () => {
    const clock = new VirtualClock();
    const wallBefore = clock.wallMs();
    let firedAt = 0;
    clock.setTimer(() => (firedAt = clock.elapsedMs), 10);

    await clock.suspend(1000);
    expect(clock.monotonicMs()).toBe(0);
    expect(clock.wallMs() - wallBefore).toBe(1000);

    await clock.advance(10);
    expect(clock.monotonicMs()).toBe(10);
    expect(firedAt).toBe(1010);
  });
});
