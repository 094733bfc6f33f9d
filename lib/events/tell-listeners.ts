import type { ElectionEvents, ElectionListener } from '../election/election-events.interface.js';

const EVENT_NAMES = [
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
  'runStarted',
  'runEnded',
  'skipped',
] as const satisfies readonly (keyof ElectionEvents)[];

const nothing = (): void => undefined;

/**
 * One `ElectionEvents` that tells several listeners, and does nothing where none listens. A listener that throws goes
 * to `onError` and changes nothing.
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
  return (event) => {
    for (const listener of listeners) {
      try {
        listener[name]?.(event);
      } catch (error) {
        onError(error);
      }
    }
  };
}
