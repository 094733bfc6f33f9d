/** For how long a candidate said that it leads. */

/** In milliseconds, by the clock that all processes share. */
export interface Interval {
  readonly from: number;
  readonly until: number;
}

/** Answers of "yes" that follow each other are one interval, which ends at the last of them. */
export class Belief {
  private readonly closed: Interval[] = [];
  private open: Interval | null = null;

  get intervals(): readonly Interval[] {
    return this.open === null ? this.closed : [...this.closed, this.open];
  }

  saw(at: number, isLeading: boolean): void {
    if (isLeading) {
      this.open = { from: this.open?.from ?? at, until: at };
    } else if (this.open !== null) {
      this.closed.push(this.open);
      this.open = null;
    }
  }
}
