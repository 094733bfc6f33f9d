import type { CancelTimer, Clock } from './election/clock.interface.js';

/** The clocks and timers of this process. */
export class SystemClock implements Clock {
  monotonicMs(): number {
    return performance.now();
  }

  wallMs(): number {
    return Date.now();
  }

  setTimer(callback: () => void, delayMs: number): CancelTimer {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  }
}
