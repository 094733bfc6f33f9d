import type { Refused } from './refusal.js';

/** Candidates that took the members from each other ask again after a random time: at first up to this … */
const BACKOFF_MS = 10;
/** … then each time up to twice as long. After so many times in a row they wait until the leases end. */
const TRIES = 6;

/** How often in a row nobody got a majority of an election, and what that means for the next try. */
export class Contention {
  private readonly times = new Map<string, number>();

  constructor(private readonly random: () => number) {}

  over(election: string): void {
    this.times.delete(election);
  }

  backOff(election: string, refused: Refused): Refused {
    const times = this.times.get(election) ?? 0;
    this.times.set(election, times + 1);
    return times < TRIES
      ? { ...refused, waitMs: BACKOFF_MS * 2 ** times * this.random() }
      : refused;
  }
}
