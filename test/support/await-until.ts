const POLL_INTERVAL_MS = 5;

/** Waits for what no event tells. Prefer an event where there is one; never sleep to wait for a state. */
export async function awaitUntil(
  predicate: () => boolean | Promise<boolean>,
  { timeoutMs = 10_000, what }: { timeoutMs?: number; what: string },
): Promise<void> {
  const giveUpAt = performance.now() + timeoutMs;
  while (!(await predicate())) {
    if (performance.now() > giveUpAt) throw new Error(`Not within ${timeoutMs} ms: ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
  }
}
