import { Logger } from '@nestjs/common';

import type { ElectionConfig } from '../election/election-config.interface.js';
import { LeaseStoreError } from '../election/election.errors.js';
import type { ElectionEvents, ElectionListener } from '../election/election-events.interface.js';

type EventOf<Name extends keyof ElectionEvents> = Parameters<ElectionEvents[Name]>[0];

/**
 * Tells a person what happens: a change of leader at `log`, trouble at `warn` (at `error` where a person must act),
 * each skip and renewal at `debug`. One instance for all elections of an application: an unreachable store is one
 * message, not one for each election.
 */
export class ElectionLogger implements ElectionListener {
  private unreachableSince: number | null = null;
  /** Elections in trouble that is theirs alone, and what was said of it. */
  private readonly troubles = new Map<string, string>();
  private readonly waitingFor = new Map<string, string>();
  private readonly noticesSaid = new Set<string>();

  constructor(
    private readonly logger: Logger,
    private readonly configOf: (election: string) => ElectionConfig | undefined,
  ) {}

  started({ election, campaign }: EventOf<'started'>): void {
    const config = this.configOf(election);
    if (config === undefined) return;
    const { leaseTtlMs, renewIntervalMs, safetyMarginMs, by } = config;
    this.logger.log(
      `Election "${election}": ${by.nodeId} ${campaign ? 'takes part' : 'only watches'} ` +
        `(leaseTtlMs ${leaseTtlMs}, renewIntervalMs ${renewIntervalMs}, safetyMarginMs ${safetyMarginMs}).`,
    );
  }

  changed({ election, change }: EventOf<'changed'>): void {
    const { state, leader, epoch, reason } = change;
    if (state === 'leader') this.logger.log(`Election "${election}": leading, epoch ${epoch}.`);
    if (state === 'follower' && leader !== null && leader.epoch > 0) {
      this.logger.log(
        `Election "${election}": following ${leader.nodeId}, which leads with epoch ${leader.epoch}.`,
      );
    }
    if (state === 'draining') {
      this.logger.log(`Election "${election}": draining (${reason}); no new work is admitted.`);
    }
  }

  ended({ election, epoch, reason, heldForMs }: EventOf<'ended'>): void {
    const message = `Election "${election}": no longer leading, epoch ${epoch} ended after ${Math.round(heldForMs)} ms (${reason}).`;
    if (reason === 'released' || reason === 'shutdown') this.logger.log(message);
    else this.logger.warn(message);
  }

  granted({ election }: EventOf<'granted'>): void {
    this.waitingFor.delete(election);
  }

  waiting({ election, because, waitMs }: EventOf<'waiting'>): void {
    if (this.waitingFor.get(election) === because) return;
    this.waitingFor.set(election, because);
    const until = new Date(Date.now() + waitMs).toISOString();
    const why =
      because === 'vanished'
        ? 'the lease vanished before its end (deleted, evicted or flushed), so its holder may still act on it'
        : because === 'hold-off'
          ? 'Redis may have lost data (it restarted, failed over, or has no record of this election), so a leader that it forgot may still be active'
          : 'a later request of this instance was already granted';
    this.logger.log(`Election "${election}": nobody leads until ${until}, since ${why}.`);
  }

  renewed({ election, epoch, latencyMs }: EventOf<'renewed'>): void {
    if (!isDebugged()) return;
    this.logger.debug(
      `Election "${election}": renewed epoch ${epoch} in ${latencyMs.toFixed(1)} ms.`,
    );
  }

  storeFailed({ election, operation, error }: EventOf<'storeFailed'>): void {
    const message = error instanceof Error ? error.message : String(error);
    const kind = error instanceof LeaseStoreError ? error.kind : 'unavailable';
    if (kind === 'unreachable') {
      if (this.unreachableSince !== null) return;
      this.unreachableSince = performance.now();
      this.logger.warn(
        `The lease store cannot be reached (${operation}: ${message}). Nothing leader-only starts here without a ` +
          'valid lease; trying again until it answers.',
      );
      return;
    }
    const trouble = `${kind} ${message}`;
    if (this.troubles.get(election) === trouble) return;
    this.troubles.set(election, trouble);
    const text = `Election "${election}": the lease store refuses to ${operation}: ${message}`;
    if (kind === 'misconfigured') this.logger.error(text);
    else this.logger.warn(text);
  }

  storeAnswered({ election }: EventOf<'storeAnswered'>): void {
    if (this.troubles.delete(election)) {
      this.logger.log(`Election "${election}": the lease store answers again.`);
    }
    if (this.unreachableSince === null) return;
    const downMs = Math.round(performance.now() - this.unreachableSince);
    this.unreachableSince = null;
    this.logger.log(`The lease store answers again after ${downMs} ms.`);
  }

  notice({ election, text }: EventOf<'notice'>): void {
    if (this.noticesSaid.has(text)) return;
    this.noticesSaid.add(text);
    this.logger.warn(`Election "${election}": ${text}`);
  }

  loopBlocked({ election, blockedMs, neededTtlMs, lost }: EventOf<'loopBlocked'>): void {
    this.logger.warn(
      `Election "${election}": a renewal came ${blockedMs} ms late, since the event loop was blocked or the process ` +
        `paused; leadership was ${lost ? 'lost' : 'kept'}. A leaseTtlMs of ${neededTtlMs} covers such a pause wherever ` +
        'it falls; or move the work off the loop.',
    );
  }

  drainTimedOut({ election, epoch, leaseTtlMs }: EventOf<'drainTimedOut'>): void {
    this.logger.warn(
      `Election "${election}": leader-only work of epoch ${epoch} still runs when drainTimeoutMs is up, although its ` +
        `signal has aborted. The lease is not released but left to run out, within ${leaseTtlMs} ms.`,
    );
  }

  skipped({ election, handler, outcome }: EventOf<'skipped'>): void {
    if (outcome === 'throw' || !isDebugged()) return;
    this.logger.debug(
      `Election "${election}": skipped ${handler ?? 'runIfLeader'}, not the leader.`,
    );
  }
}

/** Asked before the words are made: thousands of skips or renewals a second say nothing in production. */
function isDebugged(): boolean {
  // Nest 11 denies every level, and prints all, where none was chosen.
  return Logger.isLevelEnabled('debug') || !Logger.isLevelEnabled('fatal');
}
