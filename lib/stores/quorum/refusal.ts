import type { AcquireReply, LeaderInfo, LeaseSight } from '../../election/lease-store.interface.js';
import { majorityOf } from './collect.js';

export type Refused = Extract<AcquireReply, { granted: false }>;

export interface JointRefusal {
  readonly refused: Refused;
  /** Nobody leads: candidates that ask at the same time have each got some of the members. */
  readonly contended: boolean;
}

/**
 * What `members` of a quorum say together when no majority of them grants. `free` of them did.
 * Expects at least one refusal.
 */
export function refusalOf(
  refusals: readonly Refused[],
  free: number,
  members: number,
): JointRefusal {
  const sight = sightOf(refusals, members);
  const waits = Array.from({ length: free }, () => 0);
  const waitMs = freeIn([...waits, ...refusals.map((each) => each.waitMs)], members);
  // The lease of somebody whom no majority follows is that of a candidate which is still asking, or has given up.
  const isHalfTaken = ({ because }: Refused) => because === 'held' && sight.leader === null;
  const untilThen = refusals.map((each) => (isHalfTaken(each) ? 0 : each.waitMs));
  const contended = refusals.some(isHalfTaken) && freeIn([...waits, ...untilThen], members) === 0;
  const decisive = refusals.find((each) => each.waitMs === waitMs) ?? refusals[0];
  const untold = sight.leader === null && !contended ? leaderBesideLoss(refusals, members) : null;
  const because = contended || untold !== null ? 'held' : (decisive?.because ?? 'held');
  const leader = sight.leader ?? untold;
  return { refused: { ...sight, leader, granted: false, because, waitMs }, contended };
}

/** Who leads where it is too few that say so only because the others have lost what they knew. */
function leaderBesideLoss(refusals: readonly Refused[], members: number): LeaderInfo | null {
  const lost = refusals.filter(({ because }) => because === 'hold-off');
  const [leader = null, ...others] = refusals.flatMap((refusal) => refusal.leader ?? []);
  const isAgreed = others.every(({ nodeId, epoch }) => {
    return nodeId === leader?.nodeId && epoch === leader.epoch;
  });
  const told = lost.length + (leader === null ? 0 : 1 + others.length);
  return isAgreed && lost.length > 0 && told >= majorityOf(members) ? leader : null;
}

/** What several members know together. */
export function sightOf(sights: readonly LeaseSight[], members: number): LeaseSight {
  const notice = sights.find((sight) => sight.notice !== undefined)?.notice;
  const waits = sights.map(({ waitMs }) => waitMs);
  return {
    leader: agreedLeader(sights, members),
    seenEpoch: Math.max(0, ...sights.map(({ seenEpoch }) => seenEpoch)),
    seenTtlMs: Math.max(0, ...sights.map(({ seenTtlMs }) => seenTtlMs)),
    waitMs: freeIn(waits, members),
    ...(notice === undefined ? {} : { notice }),
  };
}

/** The time until a majority is free. Nothing is expected of a member that gave no answer. */
function freeIn(waits: readonly number[], members: number): number {
  const inOrder = [...waits];
  inOrder.sort((a, b) => a - b);
  return inOrder[majorityOf(members) - 1] ?? Infinity;
}

/** Whom a majority names. */
function agreedLeader(sights: readonly LeaseSight[], members: number): LeaderInfo | null {
  const leaders = sights.flatMap(({ leader }) => leader ?? []);
  const agreed = leaders.find(({ nodeId, epoch }) => {
    const same = leaders.filter((other) => other.nodeId === nodeId && other.epoch === epoch);
    return same.length >= majorityOf(members);
  });
  return agreed ?? null;
}
