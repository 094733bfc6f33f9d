/** Reads what the scripts answer. Anything that is not as their headers say is an error, never a yes. */
import { LeaseStoreError } from '../../election/election.errors.js';
import type { LeaderInfo, LeaseSight, RefusalCause } from '../../election/lease-store.interface.js';

const CAUSES: readonly string[] = [
  'held',
  'hold-off',
  'vanished',
  'outdated',
] satisfies RefusalCause[];

/** What a notice of `acquire` means, and what to do about it. */
export const NOTICES: Readonly<Record<string, string>> = {
  'hidden-identity':
    'Redis hides its identity, since this user may not run INFO: a failover to a replica that lost data cannot be ' +
    'told from a quiet server, and the first start waits a full lease. Allow the command: ACL SETUSER <user> +info.',
  'endless-lease':
    'The lease key has no TTL, so another program wrote it and nobody can ever lead: delete the key, or choose ' +
    'another `keyPrefix` or `name`.',
};

export function toSight([
  waitMs,
  seenEpoch,
  ttlMs,
  holder,
  epoch,
  nodeId,
  metadata,
]: string[]): LeaseSight {
  const leader: LeaderInfo | null = holder
    ? { nodeId: nodeId || holder, epoch: toNumber(epoch), metadata: toMetadata(metadata) }
    : null;
  return {
    leader,
    seenEpoch: toNumber(seenEpoch),
    seenTtlMs: toNumber(ttlMs),
    waitMs: toNumber(waitMs),
  };
}

function toMetadata(json: string | undefined): Readonly<Record<string, string>> {
  if (!json) return {};
  const parsed: unknown = JSON.parse(json);
  return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
}

export function toNumber(text: string | undefined): number {
  const number = Number(text);
  if (text === undefined || text === '' || !Number.isFinite(number)) {
    throw new LeaseStoreError('unavailable', `Redis sent "${text}" where a number belongs.`);
  }
  return number;
}

export function isCause(text: string | undefined): text is RefusalCause {
  return text !== undefined && CAUSES.includes(text);
}

export function unexpected(script: string, outcome: string | undefined): LeaseStoreError {
  return new LeaseStoreError('unavailable', `Redis answered ${script} with "${outcome}".`);
}
