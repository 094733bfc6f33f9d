import type { LeaseHolder, LeaseStore } from '../../election/lease-store.interface.js';

export interface RaiseEpochRequest {
  readonly election: string;
  readonly by: LeaseHolder;
  /** The attempt that was granted in the first round. */
  readonly attempt: number;
  /** The epoch of the whole quorum; higher than what any member granted. */
  readonly epoch: number;
  readonly minReplicaAcks: number;
  readonly timeoutMs: number;
}

/** One of several independent stores, each of which keeps all the rules by itself. */
export interface QuorumMember extends LeaseStore {
  /**
   * The second round: gives the lease that this attempt was granted here the epoch of the quorum. Its end stays.
   * False where the lease is not this attempt's any more.
   */
  raiseEpoch(request: RaiseEpochRequest): Promise<boolean>;
}
