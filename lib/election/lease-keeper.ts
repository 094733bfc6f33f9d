import type { ElectionContext } from './election-context.js';
import type { LossReason } from './election.errors.js';
import type { Leadership } from './leadership.js';

/** A deadline timer that fires this much late tells of a paused process or a blocked loop, not of a silent store. */
const PAUSED_MS = 50;

/**
 * Renewals fall on ticks, which all elections of an application share that renew as often: what is due in one goes out
 * together, for which thousands of elections pay less.
 */
const TICKS_PER_INTERVAL = 256;

/**
 * Keeps one leadership alive: renews its lease until it is lost or given up, and says so once. Renewals follow a
 * fixed rate, so that they do not drift past the followers' probes.
 */
export class LeaseKeeper {
  private over = false;
  private renewing = false;
  private failing = false;
  private lagReported = false;
  private renewAt: number;
  private timerSetAt = 0;
  /** For the next renewal, or for the deadline where that comes first or a renewal is under way. */
  private cancelTimer: (() => void) | null = null;

  constructor(
    private readonly context: ElectionContext,
    private readonly leadership: Leadership,
    grantedAt: number,
    private readonly lost: (reason: LossReason) => void,
  ) {
    const { renewIntervalMs } = context.config;
    const tickMs = renewIntervalMs / TICKS_PER_INTERVAL;
    // Not in step with what else was granted just then, or thousands of elections would stay so.
    const firstAt = grantedAt + context.jittered(renewIntervalMs);
    this.renewAt = Math.floor(firstAt / tickMs) * tickMs;
  }

  start(): void {
    this.schedulePlanned();
  }

  /** Renews nothing more. A renewal under way changes nothing when it is answered. */
  stop(): void {
    this.over = true;
    this.cancelTimer?.();
  }

  /** Renews now instead of when it is due. */
  wake(): void {
    if (!this.over && !this.renewing) this.scheduleRenewal(0);
  }

  /**
   * Asks the store once whether the lease still stands, and extends it when it does.
   * Rejects when the store gives no answer; that alone does not end the leadership.
   */
  async confirm(): Promise<boolean> {
    const { config, store, time } = this.context;
    if (!this.stillValid()) return false;
    const sentAt = time.now();
    const timeoutMs = Math.min(config.commandTimeoutMs, this.leadership.deadline - sentAt);
    const reply = await this.context.ask('renew', timeoutMs, (timeoutMs) =>
      store.renew({
        election: config.election,
        by: config.by,
        attempt: this.leadership.attempt,
        epoch: this.leadership.epoch,
        ttlMs: config.leaseTtlMs,
        minReplicaAcks: config.minReplicaAcks,
        timeoutMs,
      }),
    );
    if (!reply.renewed) this.context.sawEpoch(reply.seenEpoch);
    if (!this.stillValid()) return false;
    if (!reply.renewed) {
      this.lose(reply.because === 'taken' ? 'taken' : 'store-lost');
      return false;
    }
    this.failing = false;
    this.leadership.extend(sentAt + config.leaseTtlMs - config.safetyMarginMs);
    this.context.events.renewed({
      election: config.election,
      epoch: this.leadership.epoch,
      latencyMs: time.now() - sentAt,
    });
    return true;
  }

  private async renew(nextAt: number): Promise<void> {
    this.renewAt = nextAt;
    // First: a lease that ran out before its renewal could be sent was not lost by the store.
    if (!this.stillValid()) return;
    this.reportLateness('kept');
    this.renewing = true;
    this.watchDeadline();
    try {
      if (await this.confirm()) this.scheduleNext();
    } catch {
      // Counted and reported by `ask`; tried again until the deadline (rule 10).
      this.failing = true;
      this.scheduleRenewal(this.context.retryDelay());
    } finally {
      this.renewing = false;
    }
  }

  private scheduleNext(): void {
    const { renewIntervalMs } = this.context.config;
    const lateMs = this.context.time.now() - this.renewAt;
    if (lateMs >= 0) this.renewAt += (Math.floor(lateMs / renewIntervalMs) + 1) * renewIntervalMs;
    this.schedulePlanned();
  }

  private schedulePlanned(): void {
    const nextAt = this.renewAt + this.context.config.renewIntervalMs;
    this.scheduleRenewal(this.renewAt - this.context.time.now(), nextAt);
  }

  /** One out of turn, a retry or for a connection that is back, leaves the next one in its place. */
  private scheduleRenewal(delayMs: number, nextAt = this.renewAt): void {
    // It may have been stopped between a renewal's answer and this.
    if (this.over) return;
    this.timerSetAt = this.context.time.now();
    if (this.timerSetAt + delayMs >= this.leadership.deadline) this.watchDeadline();
    // `renew` never rejects.
    else this.setTimer(() => void this.renew(nextAt), delayMs);
  }

  /** The timer only makes the loss timely (rules 3 and 4): it fires even when a renewal never settles. */
  private watchDeadline(): void {
    const leftMs = this.leadership.deadline - this.context.time.now();
    this.setTimer(() => {
      if (!this.stillValid()) return;
      // Extended meanwhile, by `verify()`.
      if (this.renewing) this.watchDeadline();
      else this.scheduleRenewal(0);
    }, leftMs);
  }

  /** In place of the one that was set before. */
  private setTimer(callback: () => void, delayMs: number): void {
    this.cancelTimer?.();
    this.cancelTimer = this.context.clock.setTimer(callback, Math.max(0, delayMs));
  }

  /** False once this keeper has nothing to keep; notices a deadline that has passed. */
  stillValid(): boolean {
    if (this.over) return false;
    if (this.leadership.isValid) return true;
    const lateMs = this.context.time.now() - this.leadership.deadline;
    this.lose((this.failing || this.renewing) && lateMs < PAUSED_MS ? 'store-lost' : 'expired');
    return false;
  }

  private lose(reason: LossReason): void {
    this.stop();
    this.reportLateness('lost');
    this.lost(reason);
  }

  /** Says how long the loop was blocked, and which ttl covers that: once while it costs nothing, and when it does. */
  private reportLateness(leadership: 'kept' | 'lost'): void {
    const { renewIntervalMs, leaseTtlMs, safetyMarginMs, election } = this.context.config;
    const tookMs = this.context.time.now() - this.timerSetAt;
    if (this.renewing || tookMs <= 2 * renewIntervalMs) return;
    const lost = leadership === 'lost';
    if (this.lagReported && !lost) return;
    this.lagReported = true;
    const blockedMs = Math.round(tookMs - renewIntervalMs);
    const slackPart = (leaseTtlMs - safetyMarginMs - renewIntervalMs) / leaseTtlMs;
    const neededTtlMs = Math.ceil(tookMs / slackPart);
    this.context.events.loopBlocked({ election, blockedMs, neededTtlMs, lost });
  }
}
