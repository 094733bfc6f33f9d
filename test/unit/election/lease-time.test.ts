import { describe, expect, it } from '@jest/globals';
import type { Clock } from '../../../lib/election/clock.interface.js';
import { LeaseTime } from '../../../lib/election/lease-time.js';
import { seededRandom } from '../../support/election/seeded-random.js';
import { VirtualClock } from '../../support/election/virtual-clock.js';

const HOUR_MS = 3_600_000;

/** How much lease time passes from the moment it is made. */
function measured(clock: Clock): () => number {
  const time = new LeaseTime(clock);
  const startedAt = time.now();
  return () => time.now() - startedAt;
}

describe('lease time', () => {
  it('rule 2: does not run fast on a wall clock of whole milliseconds, read a million times', () => {
    const random = seededRandom(7);
    let monotonicMs = 0.37;
    const elapsed = measured({
      monotonicMs: () => monotonicMs,
      wallMs: () => Math.floor(1_900_000_000_000.81 + monotonicMs),
      setTimer: () => () => undefined,
    });

    for (let read = 0; read < 1_000_000; read += 1) {
      monotonicMs += random() * 3;
      elapsed();
    }

    expect(elapsed() - (monotonicMs - 0.37)).toBe(0);
  });

  it('T-04: a wall clock that is set back an hour changes nothing', async () => {
    const clock = new VirtualClock();
    const elapsed = measured(clock);

    clock.stepWall(-HOUR_MS);
    expect(elapsed()).toBe(0);
    await clock.advance(5000);
    expect(elapsed()).toBe(5000);
  });

  it('T-04: a wall clock that jumps an hour ahead counts as an hour', () => {
    const clock = new VirtualClock();
    const elapsed = measured(clock);

    clock.stepWall(HOUR_MS);
    expect(elapsed()).toBe(HOUR_MS);
    clock.stepWall(-HOUR_MS);
    expect(elapsed()).toBe(HOUR_MS);
  });

  it.each([
    { stepMs: 2, counted: 0 },
    { stepMs: 3, counted: 3 },
  ])('a wall clock $stepMs ms ahead counts as $counted ms', ({ stepMs, counted }) => {
    const clock = new VirtualClock();
    const elapsed = measured(clock);

    clock.stepWall(stepMs);
    expect(elapsed()).toBe(counted);
  });

  it('counts small steps once they add up', () => {
    const clock = new VirtualClock();
    const elapsed = measured(clock);

    for (let step = 0; step < 100; step += 1) {
      clock.stepWall(1);
      elapsed();
    }
    expect(elapsed()).toBeGreaterThanOrEqual(98);
  });

  it('T-05: time in which the machine was suspended has passed', async () => {
    const clock = new VirtualClock();
    const elapsed = measured(clock);

    await clock.advance(1000);
    await clock.suspend(600_000);
    expect(elapsed()).toBe(601_000);
    await clock.advance(1000);
    expect(elapsed()).toBe(602_000);
  });

  it('counts a suspension in full after the wall clock was set back and read', async () => {
    const clock = new VirtualClock();
    const elapsed = measured(clock);

    clock.stepWall(-HOUR_MS);
    elapsed();
    await clock.suspend(HOUR_MS);
    expect(elapsed()).toBe(HOUR_MS);
  });

  it('never goes back, whatever the wall clock does', async () => {
    const clock = new VirtualClock();
    const elapsed = measured(clock);
    const random = seededRandom(11);

    let last = 0;
    for (let step = 0; step < 300; step += 1) {
      clock.stepWall((random() - 0.5) * 10_000);
      await clock.advance(random() * 10);
      const now = elapsed();
      expect(now).toBeGreaterThanOrEqual(last);
      expect(now).toBeGreaterThanOrEqual(clock.elapsedMs);
      last = now;
    }
  });
});
