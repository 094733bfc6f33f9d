/** What happened in an election, as one observer wrote it down: the input of the history checker. */

interface Observed {
  /** One process start; a restarted process is another node. */
  readonly node: string;
  /** On one monotonic clock that all nodes share, in milliseconds. */
  readonly at: number;
}

interface OfLeadership extends Observed {
  readonly epoch: number;
}

/** The node was told that it leads now. */
export interface Granted extends OfLeadership {
  readonly kind: 'granted';
}

/** The node was told that its leadership is over. After a pause that is later than the end itself. */
export interface Ended extends OfLeadership {
  readonly kind: 'ended';
  readonly reason?: string | undefined;
}

/** The node said that it leads, at this instant and, where `until` is given, at each look up to then. */
export interface Belief extends OfLeadership {
  readonly kind: 'belief';
  readonly until?: number | undefined;
}

/** Leader-only work began. */
export interface Run extends OfLeadership {
  readonly kind: 'run';
}

/** The process ended; nothing that it says comes after this. */
export interface Gone extends Observed {
  readonly kind: 'gone';
}

export type HistoryEvent = Granted | Ended | Belief | Run | Gone;
