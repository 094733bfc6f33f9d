import type { Clock } from '../../election/clock.interface.js';
import type { LeaseWatcher } from '../../election/lease-store.interface.js';
import type { QuorumMember } from './quorum-member.interface.js';

/** A release is heard from each member; the first ones come a moment before a majority is free. */
const GATHER_MS = 1;
/** Candidates that ask at the same moment take the members from each other. */
const SPREAD_MS = 4;

/**
 * Watches one election on every member and makes one wake-up of those that come together. Returns how to stop that.
 */
export function watchAll(
  members: readonly QuorumMember[],
  election: string,
  watcher: LeaseWatcher,
  clock: Clock,
  random: () => number,
): () => void {
  let cancel: (() => void) | null = null;
  const freed = (): void => {
    cancel ??= clock.setTimer(
      () => {
        cancel = null;
        watcher.freed();
      },
      GATHER_MS + random() * SPREAD_MS,
    );
  };
  const unwatch = members.map((member, index) =>
    member.watch(election, {
      freed,
      reconnected: () => watcher.reconnected(),
      noticed: (text) => watcher.noticed?.(`Server ${index + 1} of ${members.length}: ${text}`),
    }),
  );
  return () => {
    cancel?.();
    for (const stop of unwatch) stop();
  };
}
