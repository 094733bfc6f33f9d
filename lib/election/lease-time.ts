import type { Clock } from './clock.interface.js';

/**
 * How far the wall clock may run ahead of the monotonic clock before it counts as elapsed time. It covers the wall
 * clock's whole milliseconds, so that less than 3 ms can stay uncounted; every safety margin is larger.
 */
const TOLERANCE_MS = 2;

/**
 * Time as a lease must see it (rule 2): what has elapsed is the larger of the monotonic clock's and the wall
 * clock's forward movement.
 *
 * - A suspended machine may freeze the monotonic clock; the wall clock then jumps ahead and the lease is over.
 * - A wall clock that is set back changes nothing, and a later jump ahead counts from where it was set back to.
 *
 * Not covered: a step back and a suspension of the same length between two reads cancel out and stay unseen.
 */
export class LeaseTime {
  private lastSkewMs: number;
  private unseenMs = 0;

  constructor(private readonly clock: Clock) {
    this.lastSkewMs = clock.wallMs() - clock.monotonicMs();
  }

  /** Milliseconds from any fixed origin; never goes back. */
  now(): number {
    const monotonicMs = this.clock.monotonicMs();
    const skewMs = this.clock.wallMs() - monotonicMs;
    const aheadMs = skewMs - this.lastSkewMs;
    if (aheadMs > TOLERANCE_MS) {
      this.unseenMs += aheadMs;
      this.lastSkewMs = skewMs;
    } else if (aheadMs < 0) {
      this.lastSkewMs = skewMs;
    }
    return monotonicMs + this.unseenMs;
  }
}
