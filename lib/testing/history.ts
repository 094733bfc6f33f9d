/** What happened in an election, as its nodes told it: plain JSON, the input of the history checker. */
import type { LeadershipChange } from '../election/election-events.interface.js';

interface Observed {
  /**
   * One process start, under a name that no other process has: the process id is none where there are containers, as
   * each has a process 1. A process that restarts is another node, or its first life ends with `gone`.
   */
  readonly node: string;
  /** In milliseconds, on one clock that all nodes share. */
  readonly at: number;
}

interface OfLeadership extends Observed {
  readonly epoch: number;
}

/** The node was told that it leads now. */
export interface GrantedEvent extends OfLeadership {
  readonly kind: 'granted';
}

/** The node was told that its leadership is over. After a pause that is later than the end itself. */
export interface EndedEvent extends OfLeadership {
  readonly kind: 'ended';
  /** A `LossReason`. */
  readonly reason?: string | undefined;
}

/** The lease was not given back after the end, and runs out: work went on too long, or the store did not answer. */
export interface UnreleasedEvent extends Observed {
  readonly kind: 'unreleased';
}

/** `isLeader` was true from `at` until right before `until`, or was found true at `at` where `until` is left out. */
export interface BeliefEvent extends OfLeadership {
  readonly kind: 'belief';
  readonly until?: number | undefined;
  /** The node still said so at its last look: more of the same may follow. */
  readonly open?: boolean | undefined;
}

/** A leader-only run began, or had an effect. */
export interface RunEvent extends OfLeadership {
  readonly kind: 'run';
}

/** `leadership$` emitted this value. */
export interface ChangedEvent extends Observed {
  readonly kind: 'changed';
  readonly change: LeadershipChange;
}

/** The process ended; nothing that it says comes after this. Only whoever watches the process can tell. */
export interface GoneEvent extends Observed {
  readonly kind: 'gone';
}

/**
 * One thing that happened in an election. Survives JSON, so processes can send theirs to the test that started them.
 *
 * @publicApi
 */
export type HistoryEvent =
  GrantedEvent | EndedEvent | UnreleasedEvent | BeliefEvent | RunEvent | ChangedEvent | GoneEvent;
