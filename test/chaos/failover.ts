/** A primary that dies while everything else is well: how long its place is empty, and when somebody leads again. */

export interface FailoverTimes {
  readonly killedAt: number;
  /** When another server took writes in its place, and clients were told. */
  readonly promotedAt: number;
}

/** Kills the primary and waits for the next one; `recover` brings the old one back as a replica. */
export interface Failover {
  promote(): Promise<FailoverTimes>;
  recover(): Promise<void>;
}
