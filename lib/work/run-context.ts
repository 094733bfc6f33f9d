import { AsyncLocalStorage } from 'node:async_hooks';

import type { Leadership } from '../election/leadership.js';

/** One leader-only run, and the runs of other elections that it began inside. */
export interface RunFrame {
  /** Whose run it is: runs of several elections may be nested. */
  readonly owner: object;
  readonly leadership: Leadership;
  readonly outer: RunFrame | undefined;
}

/**
 * Which leader-only run the present code belongs to, through all its awaits. One per application: each
 * AsyncLocalStorage costs every promise of the process a little.
 */
export class RunContext {
  private readonly storage = new AsyncLocalStorage<RunFrame>();

  enter<T>(owner: object, leadership: Leadership, work: () => T): T {
    const present = this.storage.getStore();
    if (present?.owner === owner && present.leadership === leadership) return work();
    return this.storage.run({ owner, leadership, outer: without(owner, present) }, work);
  }

  /** The leadership that the present run of this owner began under, or undefined outside of one. */
  pinned(owner: object): Leadership | undefined {
    let frame = this.storage.getStore();
    while (frame !== undefined && frame.owner !== owner) frame = frame.outer;
    return frame?.leadership;
  }

  /** Runs the election's own work, whose timers must not belong to the run that happened to start it. */
  outside<T>(work: () => T): T {
    return this.storage.exit(work);
  }
}

/**
 * The frames that an inner run of this owner leaves visible. Work that calls itself again and again, as by a timer,
 * would otherwise keep a frame of each call for ever.
 */
function without(owner: object, frame: RunFrame | undefined): RunFrame | undefined {
  if (frame === undefined) return undefined;
  const outer = without(owner, frame.outer);
  if (frame.owner === owner) return outer;
  return outer === frame.outer ? frame : { ...frame, outer };
}
