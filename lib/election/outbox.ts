/**
 * Lets a step finish before anybody hears of it. Listeners may call back into the candidate (`stop()` from a change,
 * `stepDown()` from an abort signal): they find it between two steps, never inside one, and everybody hears of the
 * first step before the one that a listener caused.
 */
export class Outbox {
  private messages: (() => void)[] | null = null;
  private busy = false;

  /** Runs one step, then delivers what it sent. A step that a listener causes is delivered after the present one. */
  step<T>(step: () => T): T {
    if (this.busy) return step();
    this.busy = true;
    try {
      return step();
    } finally {
      this.deliver();
      this.busy = false;
    }
  }

  /** Only within a step. */
  send(message: () => void): void {
    (this.messages ??= []).push(message);
  }

  private deliver(): void {
    while (this.messages !== null) {
      const { messages } = this;
      this.messages = null;
      for (const message of messages) {
        try {
          message();
        } catch (error) {
          // The election goes on, and the process learns of the defect as of any other uncaught error.
          queueMicrotask(() => {
            throw error;
          });
        }
      }
    }
  }
}
