/** A library that holds many leases in one process on one connection. */
import type { LeaseLog } from '../lease-log.js';

export interface HolderOptions {
  readonly url: string;
  readonly ttlMs: number;
  /** What the names of the leases begin with; the rest is the index of the log. */
  readonly prefix: string;
  readonly log: LeaseLog;
}

export interface Holder {
  /** `Row.contestant`. */
  readonly id: string;
  readonly driven: string;
  /** How often it renews, as its README says or does by default. */
  periodMs(ttlMs: number): number;
  /** Connects, with one lease of no account, so that what all share is there. Returns how to ask for that many. */
  open(options: HolderOptions): Promise<(count: number) => Promise<void>>;
}
