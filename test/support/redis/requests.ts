import type {
  AcquireReply,
  AcquireRequest,
  LeaseHolder,
  ReleaseRequest,
  RenewRequest,
} from '../../../lib/election/lease-store.interface.js';

/** Plenty on a busy machine; tests of timeouts set their own. */
const TIMEOUT_MS = 5_000;

/** A complete request, of which a test says only what it is about. */
export function requestBy(by: LeaseHolder, over: Partial<AcquireRequest> = {}): AcquireRequest {
  return {
    election: 'jobs',
    by,
    attempt: 1,
    ttlMs: 10_000,
    longestTtlMs: over.ttlMs ?? 10_000,
    floor: 0,
    holdOff: 'never',
    minReplicaAcks: 0,
    timeoutMs: TIMEOUT_MS,
    ...over,
  };
}

export function renewalOf(
  by: LeaseHolder,
  epoch: number,
  over: Partial<RenewRequest> = {},
): RenewRequest {
  return {
    election: 'jobs',
    by,
    attempt: 1,
    epoch,
    ttlMs: 10_000,
    minReplicaAcks: 0,
    timeoutMs: TIMEOUT_MS,
    ...over,
  };
}

export function releaseTo(
  by: LeaseHolder,
  epoch: number,
  over: Partial<ReleaseRequest> = {},
): ReleaseRequest {
  return { election: 'jobs', by, attempt: 1, epoch, timeoutMs: TIMEOUT_MS, ...over };
}

/** One candidate in one process. */
export function holder(id: string, metadata: Readonly<Record<string, string>> = {}): LeaseHolder {
  return { holder: `holder-${id}`, nodeId: `node-${id}`, metadata };
}

export function epochOf(reply: AcquireReply): number {
  if (!reply.granted) throw new Error(`Not granted: ${JSON.stringify(reply)}`);
  return reply.epoch;
}

export function waitOf(reply: AcquireReply): number {
  if (reply.granted) throw new Error(`Granted: ${JSON.stringify(reply)}`);
  return reply.waitMs;
}
