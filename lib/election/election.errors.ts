/**
 * What went wrong at the store: it could not be reached or did not answer in time (`unreachable`), it answered
 * that it cannot serve now (`unavailable`: loading, read-only, out of memory …), or it refuses for good until a
 * person acts (`misconfigured`: wrong password, missing permission, a key of another type …).
 */
export type StoreErrorKind = 'unreachable' | 'unavailable' | 'misconfigured';

/** A lease store did not give a clear yes or no. */
export class LeaseStoreError extends Error {
  override readonly name = 'LeaseStoreError';

  constructor(
    readonly kind: StoreErrorKind,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }
}

/** Why a leadership ended. */
export type LossReason =
  /** The lease ran out before a renewal was due or could be sent: the process was paused or its loop blocked. */
  | 'expired'
  /** Another candidate holds the lease. */
  | 'taken'
  /** `stepDown()` gave it up. */
  | 'released'
  /** The store did not confirm the lease in time, or no longer has it. */
  | 'store-lost'
  /** The application shut down. */
  | 'shutdown';

/** The reason of an aborted `signal`: the leadership that a run belongs to is over. */
export class LeadershipLostError extends Error {
  override readonly name = 'LeadershipLostError';

  constructor(
    readonly election: string,
    readonly epoch: number,
    readonly reason: LossReason,
  ) {
    super(
      `The leadership of election "${election}" with epoch ${epoch} ended (${reason}): stop, and write nothing more.`,
    );
  }
}
