import type { Clock } from '../../election/clock.interface.js';

/** Calls that nobody waits for, and that must yet be done before their connections are closed. */
export class UnderWay {
  private readonly calls = new Set<Promise<unknown>>();

  constructor(private readonly clock: Clock) {}

  /** Returns the same promise; that it rejects is the caller's business. */
  add<T>(call: Promise<T>): Promise<T> {
    this.calls.add(call);
    call.finally(() => this.calls.delete(call)).catch(() => undefined);
    return call;
  }

  /** Resolves when there are none, after this time at the latest. Never rejects. */
  async settled(limitMs: number): Promise<void> {
    if (this.calls.size === 0) return;
    await new Promise<void>((resolve) => {
      const cancel = this.clock.setTimer(resolve, limitMs);
      const settle = async (): Promise<void> => {
        while (this.calls.size > 0) await Promise.allSettled(this.calls);
        cancel();
        resolve();
      };
      void settle(); // Never rejects.
    });
  }
}
