/** Asks for many locks at once, each by a promise, and tells the log. */
import type { HolderOptions } from './holder.interface.js';

/** Resolves when it is held. */
export type Hold = (key: string, lost: () => void) => Promise<void>;

/** As `Holder.open` does it, of a lock that is taken by `hold`. */
export async function holdEach({ prefix, log }: HolderOptions, hold: Hold) {
  await hold(`${prefix}first`, () => undefined);
  const holdOne = async (index: number): Promise<void> => {
    const askedAt = performance.now();
    await hold(`${prefix}${index}`, () => log.ended());
    log.granted(index, performance.now() - askedAt);
  };
  return async (count: number): Promise<void> => {
    await Promise.all(Array.from({ length: count }, (_, index) => holdOne(index)));
  };
}
