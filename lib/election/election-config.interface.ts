import type { HoldOff, LeaseHolder } from './lease-store.interface.js';

/** How long things take, in milliseconds. How they must relate is checked by `assertTiming`. */
export interface ElectionTiming {
  readonly leaseTtlMs: number;
  readonly renewIntervalMs: number;
  readonly safetyMarginMs: number;
  readonly commandTimeoutMs: number;
  readonly drainTimeoutMs: number;
}

export interface ElectionConfig extends ElectionTiming {
  readonly election: string;
  readonly by: LeaseHolder;
  readonly holdOff: HoldOff;
  /** How many replicas must have a grant or renewal before it counts (rule 17). */
  readonly minReplicaAcks: number;
  /** False: only watch who leads. */
  readonly campaign: boolean;
}
