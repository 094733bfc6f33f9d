import type { ElectionContext } from './election-context.js';
import type { Leadership } from './leadership.js';

/** How long one release may take, and for how long a failed one is tried again; then the lease runs out. */
const RELEASE_RETRY_MS = 1000;

/** Releases the lease of a leadership that has ended. Never rejects; where it fails, the lease runs out. */
export async function giveUpLease(context: ElectionContext, leadership: Leadership): Promise<void> {
  const { config, store, time } = context;
  const retryForMs = Math.min(RELEASE_RETRY_MS, config.drainTimeoutMs);
  let firstFailureAt: number | null = null;
  for (;;) {
    try {
      await context.ask(
        'release',
        Math.min(config.commandTimeoutMs, RELEASE_RETRY_MS),
        (timeoutMs) =>
          store.release({
            election: config.election,
            by: config.by,
            attempt: leadership.attempt,
            epoch: leadership.epoch,
            timeoutMs,
          }),
      );
      return;
    } catch {
      // Counted and reported by `ask`.
      firstFailureAt ??= time.now();
      if (time.now() - firstFailureAt >= retryForMs) return;
      await pause(context, context.retryDelay());
    }
  }
}

function pause(context: ElectionContext, delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    context.clock.setTimer(resolve, delayMs);
  });
}
