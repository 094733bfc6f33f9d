import type { LossReason } from './election.errors.js';
import type { LeaderInfo, RefusalCause } from './lease-store.interface.js';

/**
 * - `follower`: another candidate is known to lead, or this one does not campaign.
 * - `candidate`: campaigns and knows of no leader: just started, the store cannot be reached, or it is waited for.
 * - `leader`: leads and admits work.
 * - `draining`: still holds the lease, admits no new work, waits for running work to end.
 * - `stopped`: shut down; never leads again.
 */
export type ElectionState = 'follower' | 'candidate' | 'leader' | 'draining' | 'stopped';

/** The value of `leadership$`: where this candidate stands. */
export interface LeadershipChange {
  readonly state: ElectionState;
  readonly isLeader: boolean;
  /** The fencing token; null when not leading. */
  readonly epoch: number | null;
  /** Who leads, as last seen. */
  readonly leader: LeaderInfo | null;
  /** When this value came to be, Unix time in milliseconds. */
  readonly since: number;
  /** Why leadership ended, on the values that follow its end; null otherwise. */
  readonly reason: LossReason | null;
}

export type StoreOperation = 'acquire' | 'renew' | 'release' | 'inspect';

/**
 * What happens in an election, for logs and metrics. Every method is optional in a listener; a listener that throws
 * is reported and changes nothing. All durations are in milliseconds.
 */
export interface ElectionEvents {
  /** The candidate is about to take part. */
  started(event: { election: string; campaign: boolean }): void;
  /** The same value that `leadership$` emits. */
  changed(event: { election: string; change: LeadershipChange }): void;
  granted(event: { election: string; epoch: number; latencyMs: number }): void;
  ended(event: { election: string; epoch: number; reason: LossReason; heldForMs: number }): void;
  /** Refused although nobody holds the lease; at most once for each cause in a row. */
  waiting(event: { election: string; because: RefusalCause; waitMs: number }): void;
  renewed(event: { election: string; epoch: number; latencyMs: number }): void;
  /** A call to the store failed; it is repeated. */
  storeFailed(event: { election: string; operation: StoreOperation; error: unknown }): void;
  /** The store answered; after `storeFailed` this is the recovery. */
  storeAnswered(event: { election: string }): void;
  /** Something about the store that a person should know. */
  notice(event: { election: string; text: string }): void;
  /** The event loop was blocked, or the process paused, so long that a renewal came late or (`lost`) too late. */
  loopBlocked(event: {
    election: string;
    blockedMs: number;
    neededTtlMs: number;
    lost: boolean;
  }): void;
  /** Leader-only work was still running when `drainTimeoutMs` was up; the lease is left to run out. */
  drainTimedOut(event: { election: string; epoch: number; leaseTtlMs: number }): void;
  /** A leader-only run began. `handler` is `Class.method`, or null for `runIfLeader`. */
  runStarted(event: { election: string; epoch: number; handler: string | null }): void;
  runEnded(event: {
    election: string;
    epoch: number;
    handler: string | null;
    durationMs: number;
    failed: boolean;
    /** The leadership under which it began was over when it ended. */
    outlived: boolean;
  }): void;
  /** A leader-only call was not run, since this candidate does not lead. */
  skipped(event: { election: string; handler: string | null; outcome: 'skip' | 'throw' }): void;
}

export type ElectionListener = Partial<ElectionEvents>;
