import type {
  AcquireReply,
  AcquireRequest,
  InspectRequest,
  LeaderInfo,
  LeaseHolder,
  LeaseSight,
  RefusalCause,
  ReleaseRequest,
  RenewReply,
  RenewRequest,
} from '../../election/lease-store.interface.js';
import type { RaiseEpochRequest } from '../quorum/quorum-member.interface.js';

/**
 * What a store does at one moment, as plain functions over plain data: the same rules that the Lua scripts apply in
 * Redis (`stores/redis/scripts`), in the same order. Both are held to one contract suite.
 */

/** The server as a script sees it. */
export interface ServerMoment {
  /** Another one after each restart and failover. */
  readonly id: string;
  readonly nowMs: number;
  readonly upMs: number;
  /** It has been a replica: how long it is up says nothing of what it may lack. @default false */
  readonly wasPromoted?: boolean;
}

/** The claim with a ttl. */
interface Lease {
  holder: string;
  epoch: number;
  expiresAt: number;
}

/** The memory without a ttl. */
interface LeaseRecord {
  epoch: number;
  /** The server that granted last; empty when a leader wrote its lease back after a loss. */
  server: string;
  expiresAt: number;
  ttlMs: number;
  holder: string;
  attempt: number;
  nodeId: string;
  metadata: Readonly<Record<string, string>>;
  holdOff: { server: string; since: number; lengthMs: number } | null;
}

/** All that a store keeps of one election. */
export interface StoredElection {
  lease: Lease | null;
  record: LeaseRecord | null;
}

export function acquire(
  stored: StoredElection,
  request: AcquireRequest,
  server: ServerMoment,
): AcquireReply {
  const { by, floor, ttlMs } = request;
  const { nowMs } = server;
  endInTime(stored, nowMs);
  const lease = liveLease(stored, nowMs);
  const known = Math.max(stored.record?.epoch ?? 0, lease?.epoch ?? 0);
  const changed =
    stored.record?.server !== server.id ||
    stored.record.epoch < floor ||
    stored.record.holdOff?.server === server.id;

  let waitMs = changed ? holdOffLeft(stored, request, server) : 0;
  let because: RefusalCause = 'hold-off';
  const { record } = stored;

  if (lease !== null && lease.holder !== by.holder) {
    const leftMs = Math.max(waitMs, lease.expiresAt - nowMs);
    return { granted: false, because: 'held', ...sight(stored, nowMs), waitMs: leftMs };
  }
  if (lease === null && record !== null) {
    const vanishedMs = record.expiresAt - nowMs;
    if (vanishedMs > waitMs) {
      waitMs = vanishedMs;
      because = 'vanished';
    }
  }
  if (lease !== null && (record?.attempt ?? 0) > request.attempt) because = 'outdated';
  if (waitMs > 0 || because === 'outdated') {
    return { granted: false, because, ...sight(stored, nowMs), waitMs };
  }

  const next = Math.max(known, floor) + 1;
  const epoch = changed ? Math.max(next, Math.floor(nowMs)) : next;
  stored.record = {
    epoch,
    server: server.id,
    expiresAt: nowMs + ttlMs,
    ttlMs,
    holder: by.holder,
    attempt: request.attempt,
    nodeId: by.nodeId,
    metadata: by.metadata,
    holdOff: null,
  };
  stored.lease = { holder: by.holder, epoch, expiresAt: nowMs + ttlMs };
  return { granted: true, epoch };
}

export function renew(
  stored: StoredElection,
  request: RenewRequest,
  server: ServerMoment,
): RenewReply {
  const lease = liveLease(stored, server.nowMs);
  const mine = isOf(stored, lease, request);
  const dataLost = (stored.record?.epoch ?? 0) < request.epoch;
  if (!mine && (lease !== null || !dataLost)) {
    const { seenEpoch } = sight(stored, server.nowMs);
    const because = lease === null && seenEpoch <= request.epoch ? 'gone' : 'taken';
    return { renewed: false, because, seenEpoch };
  }
  const { by, epoch, attempt, ttlMs } = request;
  const expiresAt = server.nowMs + ttlMs;
  stored.lease = { holder: by.holder, epoch, expiresAt };
  if (stored.record !== null && !dataLost) {
    stored.record.expiresAt = expiresAt;
    stored.record.ttlMs = ttlMs;
    return { renewed: true };
  }
  // Rule 12. The server stays empty: whoever acquires next must know that data was lost here.
  stored.record = {
    epoch,
    server: '',
    expiresAt,
    ttlMs,
    holder: by.holder,
    attempt,
    nodeId: by.nodeId,
    metadata: by.metadata,
    holdOff: stored.record?.holdOff ?? null,
  };
  return { renewed: true };
}

export function release(
  stored: StoredElection,
  request: ReleaseRequest,
  server: ServerMoment,
): boolean {
  if (!isOf(stored, liveLease(stored, server.nowMs), request)) return false;
  stored.lease = null;
  if (stored.record !== null) stored.record.expiresAt = 0;
  return true;
}

export function raiseEpoch(
  stored: StoredElection,
  request: RaiseEpochRequest,
  server: ServerMoment,
): boolean {
  const lease = liveLease(stored, server.nowMs);
  const { record } = stored;
  // By the attempt alone: another one of this holder may have come to the same epoch.
  if (lease === null || record === null || !isOf(stored, lease, { ...request, epoch: -1 }))
    return false;
  lease.epoch = request.epoch;
  record.epoch = Math.max(record.epoch, request.epoch);
  return true;
}

/** Whether this lease was granted to this holder with this epoch, or by this attempt, which got another one later. */
function isOf(
  { record }: StoredElection,
  lease: Lease | null,
  { by, attempt, epoch }: { by: LeaseHolder; attempt: number; epoch: number },
): boolean {
  if (lease?.holder !== by.holder) return false;
  return lease.epoch === epoch || (record?.holder === by.holder && record.attempt === attempt);
}

export function inspect(
  stored: StoredElection,
  _request: InspectRequest,
  server: ServerMoment,
): LeaseSight {
  return sight(stored, server.nowMs);
}

/** Where the clock was set back, the lease of a dead leader must not last until it has caught up. */
function endInTime({ lease, record }: StoredElection, nowMs: number): void {
  if (record === null || record.expiresAt <= nowMs + record.ttlMs) return;
  record.expiresAt = nowMs + record.ttlMs;
  if (lease?.holder === record.holder) lease.expiresAt = record.expiresAt;
}

/**
 * Rule 15. Notes since when and how long, so that it is waited for once and not by each candidate anew: the longest
 * lease that anybody knows of must have run out.
 */
function holdOffLeft(
  stored: StoredElection,
  { holdOff, floor, longestTtlMs }: AcquireRequest,
  server: ServerMoment,
): number {
  if (holdOff === 'never') return 0;
  const longestMs = Math.max(longestTtlMs, stored.record?.ttlMs ?? 0);
  const firstSight = stored.record === null && floor === 0 && server.wasPromoted !== true;
  if (holdOff === 'auto' && firstSight) return Math.max(0, longestMs - server.upMs);

  stored.record ??= emptyRecord();
  const { holdOff: noted } = stored.record;
  const stands = noted?.server === server.id && noted.since <= server.nowMs;
  const since = stands ? noted.since : server.nowMs;
  const lengthMs = Math.max(longestMs, stands ? noted.lengthMs : 0);
  stored.record.holdOff = { server: server.id, since, lengthMs };
  return Math.max(0, since + lengthMs - server.nowMs);
}

function emptyRecord(): LeaseRecord {
  return {
    epoch: 0,
    server: '',
    expiresAt: 0,
    ttlMs: 0,
    holder: '',
    attempt: 0,
    nodeId: '',
    metadata: {},
    holdOff: null,
  };
}

function liveLease(stored: StoredElection, nowMs: number): Lease | null {
  return stored.lease !== null && nowMs <= stored.lease.expiresAt ? stored.lease : null;
}

function sight(stored: StoredElection, nowMs: number): LeaseSight {
  const lease = liveLease(stored, nowMs);
  const seenEpoch = Math.max(stored.record?.epoch ?? 0, lease?.epoch ?? 0);
  return {
    leader: lease === null ? null : leaderOf(lease, stored.record),
    seenEpoch,
    seenTtlMs: stored.record?.ttlMs ?? 0,
    waitMs: lease === null ? 0 : lease.expiresAt - nowMs,
  };
}

function leaderOf(lease: Lease, record: LeaseRecord | null): LeaderInfo {
  const described = record?.holder === lease.holder ? record : null;
  return {
    nodeId: described?.nodeId ?? lease.holder,
    epoch: lease.epoch,
    metadata: described?.metadata ?? {},
  };
}
