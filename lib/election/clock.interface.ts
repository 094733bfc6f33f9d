/**
 * The election's only source of time. Production uses `SystemClock`; tests and the simulation bring their own,
 * which is what lets them run hours of faults in seconds.
 */
export interface Clock {
  /** Milliseconds from any fixed origin; never goes back. May stand still while the machine is suspended. */
  monotonicMs(): number;

  /** Unix time in milliseconds. May step forward or back at any moment. */
  wallMs(): number;

  /** Calls `callback` once after `delayMs`. The returned function cancels it; calling that later does nothing. */
  setTimer(callback: () => void, delayMs: number): CancelTimer;
}

export type CancelTimer = () => void;
