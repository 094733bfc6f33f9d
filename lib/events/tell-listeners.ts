import { isPromise } from 'node:util/types';

import type { ElectionEvents, ElectionListener } from '../election/election-events.interface.js';

/** Every event there is. */
export const EVENT_NAMES = [
  'started',
  'changed',
  'granted',
  'ended',
  'waiting',
  'renewed',
  'storeFailed',
  'storeAnswered',
  'notice',
  'loopBlocked',
  'drainTimedOut',
  'runStarted',
  'runEnded',
  'skipped',
] as const satisfies readonly (keyof ElectionEvents)[];

const nothing = (): void => undefined;

/**
 * One `ElectionEvents` that tells several listeners, and does nothing where none listens. A listener that throws, or
 * is async and rejects, changes nothing: `onError` hears of its first failure for each event. (A metrics backend that
 * is down would otherwise fill the log, or end the process with an unhandled rejection.)
 */
export function tellListeners(
  listeners: readonly ElectionListener[],
  onError: (error: unknown) => void,
): ElectionEvents {
  const events: Record<string, unknown> = {};
  for (const name of EVENT_NAMES) {
    const interested = listeners.filter((listener) => listener[name] !== undefined);
    events[name] = interested.length === 0 ? nothing : tell(name, interested, onError);
  }
  // Every name of the interface is in EVENT_NAMES, or its first use in a test fails.
  return events as unknown as ElectionEvents;
}

function tell(
  name: keyof ElectionEvents,
  listeners: readonly ElectionListener[],
  onError: (error: unknown) => void,
): (event: never) => void {
  const failed = new Set<ElectionListener>();
  const report = (listener: ElectionListener, error: unknown) => {
    if (failed.has(listener)) return;
    failed.add(listener);
    onError(error);
  };
  return (event) => {
    for (const listener of listeners) {
      try {
        const result: unknown = listener[name]?.(event);
        // TypeScript takes an async function for one that returns nothing.
        if (result !== undefined && isPromise(result)) {
          result.catch((error: unknown) => report(listener, error));
        }
      } catch (error) {
        report(listener, error);
      }
    }
  };
}
