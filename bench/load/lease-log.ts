/** What happens to many leases of one process: which are held, and how late each was renewed. */
import { sharedNowMs } from '../../lib/index.js';

export class LeaseLog {
  /** How many are held now. */
  held = 0;
  /** How many have ended since `reset()`. */
  lost = 0;
  /** When the last of them was granted, by the clock that all processes share. */
  lastGrantAt = 0;
  private latenessMs: number[] = [];
  /** When each was asked for last and granted: the lease counts from there. Outside of the heap that is measured. */
  private readonly countsFrom: Float64Array;

  constructor(
    capacity: number,
    private readonly renewIntervalMs: number,
  ) {
    this.countsFrom = new Float64Array(capacity);
  }

  granted(index: number, latencyMs: number): void {
    this.held += 1;
    this.lastGrantAt = sharedNowMs();
    this.countsFrom[index] = performance.now() - latencyMs;
  }

  /** Late is what a lease has used up beyond the interval when it is confirmed. */
  renewed(index: number, latencyMs: number): void {
    const now = performance.now();
    const before = this.countsFrom[index] ?? NaN;
    this.latenessMs.push(now - before - this.renewIntervalMs);
    this.countsFrom[index] = now - latencyMs;
  }

  ended(): void {
    this.held -= 1;
    this.lost += 1;
  }

  /** Forgets what was counted; what is held stays. */
  reset(): void {
    this.latenessMs = [];
    this.lost = 0;
  }

  get lateness(): readonly number[] {
    return this.latenessMs;
  }
}
