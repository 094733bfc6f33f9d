import { setMaxListeners } from 'node:events';

import { LeadershipLostError, type LossReason } from './election.errors.js';
import type { LeaseTime } from './lease-time.js';

/**
 * One stint as the leader, from grant to loss. Over is over: once invalid it never becomes valid again, and winning
 * again is another `Leadership` with another epoch.
 */
export class Leadership {
  private endedBy: LossReason | null = null;
  private abort: AbortController | null = null;

  constructor(
    readonly election: string,
    readonly epoch: number,
    /** The attempt that was granted. */
    readonly attempt: number,
    private readonly time: LeaseTime,
    private validUntil: number,
  ) {}

  /** Compares with the clock at the moment it is read (rule 3), so it is right even when every timer is late. */
  get isValid(): boolean {
    return this.endedBy === null && this.time.now() < this.validUntil;
  }

  /** The instant, in lease time, at which this leadership ends unless it is extended. */
  get deadline(): number {
    return this.validUntil;
  }

  /** Aborts when the leadership ends, with a {@link LeadershipLostError} as the reason. */
  get signal(): AbortSignal {
    if (this.abort === null) {
      this.abort = new AbortController();
      // All runs share it, and each may listen to it several times.
      setMaxListeners(0, this.abort.signal);
    }
    if (this.endedBy !== null && !this.abort.signal.aborted) this.abort.abort(this.lostError());
    return this.abort.signal;
  }

  /** Returns false, and changes nothing, when the leadership is over already (rule 8). */
  extend(validUntil: number): boolean {
    if (!this.isValid) return false;
    this.validUntil = Math.max(this.validUntil, validUntil);
    return true;
  }

  end(reason: LossReason): void {
    if (this.endedBy !== null) return;
    this.endedBy = reason;
    this.abort?.abort(this.lostError());
  }

  private lostError(): LeadershipLostError {
    return new LeadershipLostError(this.election, this.epoch, this.endedBy ?? 'expired');
  }
}
