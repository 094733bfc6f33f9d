import { HttpException, HttpStatus } from '@nestjs/common';

import type { LeaderInfo } from '../election/lease-store.interface.js';

const BRAND = Symbol.for('nestjs-leader-election:NotLeaderException');

export interface NotLeaderDetails {
  readonly election: string;
  /** Who leads, as last seen; null when unknown. */
  readonly leader: LeaderInfo | null;
  /** After how long it is worth trying again. */
  readonly retryAfterSeconds?: number;
  /** The epoch that the work began under, where that leadership is over: whoever leads now, this work must end. */
  readonly endedEpoch?: number;
}

/**
 * Thrown where leader-only work is asked of an instance that does not lead. In an HTTP handler it becomes a 503 that
 * names the leader.
 *
 * @publicApi
 */
export class NotLeaderException extends HttpException {
  readonly [BRAND] = true;
  readonly election: string;
  readonly leader: LeaderInfo | null;

  constructor(details: NotLeaderDetails) {
    const { election, leader } = details;
    const message = `Not the leader of election "${election}": ${whyNot(details)}.`;
    const statusCode = HttpStatus.SERVICE_UNAVAILABLE;
    super(
      { statusCode, error: 'Service Unavailable', message, ...forClients(details) },
      statusCode,
    );
    this.message = message;
    this.election = election;
    this.leader = leader;
  }
}

/** Metadata stays inside: it often holds internal addresses, and a 503 may come before authentication. */
function forClients({ leader, ...details }: NotLeaderDetails): object {
  return { ...details, leader: leader && { nodeId: leader.nodeId, epoch: leader.epoch } };
}

function whyNot({ leader, endedEpoch }: NotLeaderDetails): string {
  if (endedEpoch !== undefined) {
    return `the leadership that this work began under, epoch ${endedEpoch}, is over`;
  }
  return leader === null ? 'the leader is unknown' : `"${leader.nodeId}" leads`;
}

/**
 * Tells a {@link NotLeaderException}, also one from another copy of this package, where `instanceof` fails.
 *
 * @publicApi
 */
export function isNotLeaderException(error: unknown): error is NotLeaderException {
  return typeof error === 'object' && error !== null && BRAND in error;
}
