/** The clock of one process as Node gives it: timers in whole milliseconds, a little late and at times much. */
import type { CancelTimer, Clock } from '../../../lib/election/clock.interface.js';
import type { VirtualClock } from '../../support/election/virtual-clock.js';

/** How often a timer is late by more than a turn of the loop, and by how much at most. */
const BUSY_PART = 0.02;
const BUSY_MS = 25;

export class ProcessClock implements Clock {
  constructor(
    private readonly machine: VirtualClock,
    private readonly random: () => number,
  ) {}

  monotonicMs(): number {
    return this.machine.monotonicMs();
  }

  wallMs(): number {
    return this.machine.wallMs();
  }

  setTimer(callback: () => void, delayMs: number): CancelTimer {
    // Node cuts the fraction off, so that a timer may come a little before its time.
    const wholeMs = delayMs >= 1 ? Math.trunc(delayMs) : 1;
    const chance = this.random();
    const lateMs = chance < BUSY_PART ? (chance / BUSY_PART) * BUSY_MS : chance;
    return this.machine.setTimer(callback, wholeMs + lateMs);
  }
}
