/** One run as plain data: who takes part, which servers there are, and what goes wrong when. */
import type { HoldOff } from '../../lib/election/lease-store.interface.js';
import type { FaultKind } from './faults/fault.interface.js';

/** The lease of every run; all other times are in its proportion. */
export const TTL_MS = 1000;
/** No fault begins or lasts after this. */
export const FAULTS_END_MS = 10 * TTL_MS;
/** Somebody must lead again this soon after the last fault: a lease nobody acts on, a hold-off, and the way there. */
export const LED_WITHIN_MS = 3.5 * TTL_MS;
/** Where nothing goes wrong, the next one leads this soon after the leader has left. */
export const HANDED_OVER_WITHIN_MS = 150;

export interface CandidatePlan {
  /** How much too fast its clocks run, in millionths. */
  readonly rate: number;
  readonly startAt: number;
}

export interface ServerPlan {
  readonly rate: number;
  /** How far its clock is ahead of the true time, in ms. */
  readonly aheadMs: number;
}

export interface Fault {
  readonly kind: FaultKind;
  readonly at: number;
  readonly forMs: number;
  /** A candidate, or whoever leads at that moment. */
  readonly who: number | 'leader';
  /** The independent server that it concerns. */
  readonly member: number;
  /** How bad it is, from 0 to 999; what that means is up to the kind. */
  readonly amount: number;
}

export interface Plan {
  /** For latencies and jitter. */
  readonly seed: number;
  readonly holdOff: HoldOff;
  readonly marginMs: number;
  readonly candidates: readonly CandidatePlan[];
  /** The independent servers, each with that many replicas. */
  readonly servers: readonly ServerPlan[];
  readonly replicas: number;
  readonly minReplicaAcks: number;
  /** How often somebody tries leader-only work; 0 for never. */
  readonly workEveryMs: number;
  readonly faults: readonly Fault[];
}
