/** What `WAIT` is asked for and what its answer means (rule 17). */
import { LeaseStoreError } from '../../election/election.errors.js';

/** What part of the timeout the server waits for its replicas; the rest is for the way there and back … */
const WAIT_PART_OF_TIMEOUT = 0.7;
/** … and for the tick in which it notices that the time is up: ten a second, unless `hz` says otherwise. */
const WAIT_TICK_MS = 100;
const LEAST_WAIT_PART_OF_TIMEOUT = 1 / 3;

/** How long the server should wait for its replicas, in ms, so that its answer is here in time. */
export function waitWithin(timeoutMs: number): number {
  const inTimeMs = timeoutMs * WAIT_PART_OF_TIMEOUT - WAIT_TICK_MS;
  // Never 0, which is without end to WAIT.
  return Math.ceil(Math.max(inTimeMs, timeoutMs * LEAST_WAIT_PART_OF_TIMEOUT));
}

/** Compared so that anything which is no number counts as too few. */
export function isReplicated(acks: number, minReplicaAcks: number): boolean {
  return acks >= minReplicaAcks;
}

export function notReplicated(acks: number, minReplicaAcks: number): LeaseStoreError {
  return new LeaseStoreError(
    'unavailable',
    `Only ${acks} of the ${minReplicaAcks} replicas that \`minReplicaAcks\` asks for have confirmed the lease in time: ` +
      'look at the replicas of this Redis, or lower `minReplicaAcks`.',
  );
}
