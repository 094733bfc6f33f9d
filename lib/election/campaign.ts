import type { ElectionContext } from './election-context.js';
import { LeaseStoreError } from './election.errors.js';
import type { AcquireReply, LeaderInfo, LeaseSight } from './lease-store.interface.js';

/** A lease that was granted to this candidate. `sentAt` is in lease time, from before the request (rule 1). */
export interface Grant {
  readonly epoch: number;
  readonly attempt: number;
  readonly sentAt: number;
}

export interface CampaignListener {
  won(grant: Grant): void;
  /** The store told who leads; null: nobody, as far as it knows. */
  sawLeader(leader: LeaderInfo | null): void;
  /** The store gave no answer. */
  lostSight(): void;
}

/**
 * A follower probes just after the lease ends: a timer may fire a millisecond early, and the store counts whole ones. It
 * is spread a little, so that candidates do not all arrive at once (rule 18).
 */
const PROBE_DELAY_MS = 2;
const PROBE_JITTER_MS = 2;

/** The first wait after a failed try is a `retryDelay`; each further failure doubles it, up to this part of a ttl. */
const LONGEST_BACKOFF_PART_OF_TTL = 1 / 3;

const LOOK_AGAIN_PART_OF_TTL = 1 / 10;

/**
 * A try without an answer may have been granted. After this many in a row a candidate only looks until it gets an
 * answer: one whose answers all come too late would else take its own lease again and again, and nobody would lead.
 */
const UNANSWERED_TRIES = 2;

/**
 * Asks for the lease until it is granted or the campaign is over. A refusal says how long to sleep, so a follower
 * costs about one command a ttl; a watcher's call wakes it earlier. There is no path on which it stops by itself.
 */
export class Campaign {
  private over = false;
  private request: Promise<void> | null = null;
  private wokenMeanwhile = false;
  private failures = 0;
  private unanswered = 0;
  private cancelTimer: (() => void) | null = null;
  private lastWaitCause: string | null = null;
  private observeUntil = -Infinity;

  constructor(
    private readonly context: ElectionContext,
    private readonly listener: CampaignListener,
  ) {}

  start(cooldownMs: number): void {
    this.observeFor(cooldownMs);
    this.wake();
  }

  /** Only looks on for that long, and asks for nothing. */
  observeFor(cooldownMs: number): void {
    if (cooldownMs <= 0) return;
    this.observeUntil = Math.max(this.observeUntil, this.context.time.now() + cooldownMs);
  }

  /** Tries now, or once more when the answer under way may be outdated by what woke it. */
  wake(): void {
    if (this.over) return;
    if (this.request !== null) {
      this.wokenMeanwhile = true;
      return;
    }
    this.cancelTimer?.();
    this.wokenMeanwhile = false;
    // `probe` never rejects: every failure is counted and becomes the next wait.
    this.request = this.probe().then((waitMs) => {
      this.request = null;
      if (waitMs !== null) this.sleep(this.wokenMeanwhile ? 0 : waitMs);
    });
  }

  /** Resolves when nothing is under way any more; a lease that is granted meanwhile has been given back. */
  async stop(): Promise<void> {
    this.over = true;
    this.cancelTimer?.();
    await this.request;
  }

  private sleep(waitMs: number): void {
    if (this.over) return;
    this.cancelTimer = this.context.clock.setTimer(() => this.wake(), waitMs);
  }

  /** Returns how long to wait before the next try, or null when there is none. */
  private async probe(): Promise<number | null> {
    try {
      const mayTry = this.mayAcquire() && this.unanswered < UNANSWERED_TRIES;
      const waitMs = mayTry ? await this.tryAcquire() : await this.look();
      if (mayTry || this.unanswered === 0) {
        this.failures = 0;
        this.unanswered = 0;
      } else {
        // The store answers a look: good for one more try.
        this.unanswered -= 1;
      }
      return waitMs;
    } catch (error) {
      // Counted and reported by `ask`.
      if (this.over) return null;
      if (isUnanswered(error)) this.unanswered = Math.min(this.unanswered + 1, UNANSWERED_TRIES);
      this.listener.lostSight();
      return this.backoff();
    }
  }

  private mayAcquire(): boolean {
    return this.context.config.campaign && this.context.time.now() >= this.observeUntil;
  }

  /** False when, since the request was sent, the campaign has ended or a `stepDown()` has put it off. */
  private mayUse(): boolean {
    return !this.over && this.mayAcquire();
  }

  private async tryAcquire(): Promise<number | null> {
    const { config, store, time } = this.context;
    const attempt = this.context.nextAttempt();
    const sentAt = time.now();
    const reply = await this.context.ask(
      'acquire',
      config.commandTimeoutMs,
      (timeoutMs) =>
        store.acquire({
          election: config.election,
          by: config.by,
          attempt,
          ttlMs: config.leaseTtlMs,
          floor: this.context.floor,
          longestTtlMs: this.context.longestTtlMs,
          holdOff: config.holdOff,
          minReplicaAcks: config.minReplicaAcks,
          timeoutMs,
        }),
      (late) => void this.giveBackUnlessNeeded(late, attempt),
    );
    if (!reply.granted) return this.refused(reply);

    this.context.sawEpoch(reply.epoch);
    this.context.sawNotice(reply);
    if (!this.mayUse()) {
      await this.giveBack(attempt, reply.epoch);
      return 0;
    }
    // An answer that took longer than the lease lasts grants nothing (rule 8). The next attempt recognises the lease
    // as this candidate's own and is granted a new epoch at once (rule 7).
    if (time.now() >= sentAt + config.leaseTtlMs - config.safetyMarginMs) return 0;
    this.over = true;
    this.listener.won({ epoch: reply.epoch, attempt, sentAt });
    return null;
  }

  private async look(): Promise<number | null> {
    const { config, store, time } = this.context;
    const sight = await this.context.ask('inspect', config.commandTimeoutMs, (timeoutMs) =>
      store.inspect({ election: config.election, timeoutMs }),
    );
    const seen = this.saw(sight);
    if (seen === null) return null;
    if (this.mayAcquire()) return 0;
    // Nobody tells who wins a free lease, so whoever only looks on looks again before long.
    const waitMs = sight.leader === null ? config.leaseTtlMs * LOOK_AGAIN_PART_OF_TTL : seen;
    const cooldownMs = this.observeUntil - time.now();
    return config.campaign ? Math.min(waitMs, Math.max(0, cooldownMs)) : waitMs;
  }

  private refused(reply: Extract<AcquireReply, { granted: false }>): number | null {
    const waitMs = this.saw(reply);
    const cause = reply.because === 'held' ? null : reply.because;
    if (waitMs !== null && cause !== null && cause !== this.lastWaitCause) {
      this.context.events.waiting({
        election: this.context.election,
        because: cause,
        waitMs: reply.waitMs,
      });
    }
    this.lastWaitCause = cause;
    return waitMs;
  }

  private saw(sight: LeaseSight): number | null {
    this.context.sawEpoch(sight.seenEpoch);
    this.context.sawTtl(sight.seenTtlMs);
    this.context.sawNotice(sight);
    if (this.over) return null;
    this.listener.sawLeader(sight.leader);
    // Never longer than a ttl: a lease without an end, or a server clock that was set back, must not put it to sleep.
    const waitMs = Math.min(Math.max(0, sight.waitMs), this.context.config.leaseTtlMs);
    return waitMs + PROBE_DELAY_MS + this.context.random() * PROBE_JITTER_MS;
  }

  private backoff(): number {
    const { leaseTtlMs } = this.context.config;
    const grownMs = this.context.retryDelay() * 2 ** Math.min(this.failures, 10);
    this.failures += 1;
    return Math.min(grownMs, this.context.jittered(leaseTtlMs * LONGEST_BACKOFF_PART_OF_TTL));
  }

  /** A grant that arrives after its request was given up: of no use once the campaign is over or put off. */
  private async giveBackUnlessNeeded(reply: AcquireReply, attempt: number): Promise<void> {
    if (!reply.granted) return;
    this.context.sawEpoch(reply.epoch);
    if (!this.mayUse()) await this.giveBack(attempt, reply.epoch);
  }

  /** One try: where it fails, the lease runs out. */
  private async giveBack(attempt: number, epoch: number): Promise<void> {
    const { config, store } = this.context;
    await this.context
      .ask('release', config.commandTimeoutMs, (timeoutMs) =>
        store.release({ election: config.election, by: config.by, attempt, epoch, timeoutMs }),
      )
      .catch(() => false);
  }
}

/** A store that answers with an error has granted nothing. */
function isUnanswered(error: unknown): boolean {
  return !(error instanceof LeaseStoreError) || error.kind === 'unreachable';
}
