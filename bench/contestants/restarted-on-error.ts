/** A candidate of a library that stops for good at an error, "best is to exit your process": begun anew after a while. */
import type { BenchCandidate } from './contestant.interface.js';

export interface Attempt {
  /** As the end of the process would: nothing is given back. */
  abandon(): void;
  /** Ends it well. */
  end(): Promise<void>;
}

export class RestartedOnError implements BenchCandidate {
  private attempt: Attempt | null = null;
  private timer: NodeJS.Timeout | undefined;
  private leading = false;

  constructor(
    private readonly newAttempt: () => Attempt,
    private readonly changed: (isLeading: boolean) => void,
    private readonly restartAfterMs: number,
  ) {}

  begin(): void {
    this.attempt = this.newAttempt();
  }

  isLeading(): boolean {
    return this.leading;
  }

  tell(isLeading: boolean): void {
    if (this.leading === isLeading) return;
    this.leading = isLeading;
    this.changed(isLeading);
  }

  failed(): void {
    this.attempt?.abandon();
    this.tell(false);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.begin(), this.restartAfterMs);
  }

  async stop(): Promise<void> {
    clearTimeout(this.timer);
    await this.attempt?.end();
    this.tell(false);
  }
}
