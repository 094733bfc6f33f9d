/** What everything in one run shares: the true time, randomness that the seed repeats, and the transcript. */
import { seededRandom } from '../../support/election/seeded-random.js';
import { VirtualClock } from '../../support/election/virtual-clock.js';

export class World {
  /** The true time. */
  readonly clock = new VirtualClock();
  readonly random: () => number;
  /** Null where nobody reads the transcript: its lines cost more than the run. */
  readonly note: ((who: string, what: string) => void) | null;
  private streams = 0;

  constructor(
    private readonly seed: number,
    lines: string[] | null,
  ) {
    this.random = this.stream();
    this.note =
      lines === null
        ? null
        : (who, what) => {
            lines.push(`${this.now.toFixed(1).padStart(8)}  ${who.padEnd(5)} ${what}`);
          };
  }

  get now(): number {
    return this.clock.elapsedMs;
  }

  after(ms: number, callback: () => void): void {
    this.clock.setTimer(callback, ms);
  }

  at(instant: number, callback: () => void): void {
    this.clock.setTimer(callback, instant - this.now);
  }

  /** Randomness of its own for each part, so that one fault less changes little elsewhere. */
  stream(): () => number {
    this.streams += 1;
    return seededRandom(Math.imul(this.seed ^ 0x5bd1e995, 2 * this.streams + 1));
  }
}
