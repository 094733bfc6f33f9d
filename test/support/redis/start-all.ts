interface Stoppable {
  stop(): Promise<void>;
}

/** Starts several at once; where one fails, none is left running. */
export async function startAll<T extends Stoppable>(
  count: number,
  start: (index: number) => Promise<T>,
): Promise<T[]> {
  const starts = await Promise.allSettled(
    Array.from({ length: count }, (_, index) => start(index)),
  );
  const started = starts.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const failed = starts.find((each) => each.status === 'rejected');
  if (failed !== undefined) {
    await stopAll(started);
    throw failed.reason;
  }
  return started;
}

export async function stopAll(running: readonly Stoppable[]): Promise<void> {
  await Promise.all(running.map((each) => each.stop()));
}

/** What is made of servers that run already; they are stopped where it fails. */
export async function orStop<T>(running: readonly Stoppable[], make: () => Promise<T>): Promise<T> {
  try {
    return await make();
  } catch (error) {
    await stopAll(running);
    throw error;
  }
}
