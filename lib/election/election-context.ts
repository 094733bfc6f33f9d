import type { Clock } from './clock.interface.js';
import type { ElectionConfig } from './election-config.interface.js';
import { LeaseStoreError } from './election.errors.js';
import type { ElectionEvents, StoreOperation } from './election-events.interface.js';
import type { LeaseTime } from './lease-time.js';
import type { LeaseSight, LeaseStore } from './lease-store.interface.js';

/** What a candidate is made of. */
export interface ElectionParts {
  readonly config: ElectionConfig;
  readonly store: LeaseStore;
  readonly clock: Clock;
  readonly time: LeaseTime;
  readonly events: ElectionEvents;
  /** Between 0 and 1; for jitter only. */
  readonly random: () => number;
}

/** Tries that follow a failure wait at most this part of a ttl; `assertTiming` counts on it. */
const RETRY_PART_OF_TTL = 1 / 30;

/** The longest wait before a failed renewal or release is tried again. */
export function retryDelayMs(leaseTtlMs: number): number {
  return leaseTtlMs * RETRY_PART_OF_TTL;
}

/** What the parts of one candidate share: the ports, and what must outlive each single leadership. */
export class ElectionContext implements ElectionParts {
  readonly config: ElectionConfig;
  readonly store: LeaseStore;
  readonly clock: Clock;
  readonly time: LeaseTime;
  readonly events: ElectionEvents;
  readonly random: () => number;

  /** The highest epoch ever seen here; it never shrinks (rule 13). */
  floor = 0;
  /** The longest lease ever seen here. It differs from this candidate's own while a rollout changes `leaseTtlMs`. */
  longestTtlMs: number;
  private attempts = 0;
  private underWay = 0;
  private onSettled: (() => void) | null = null;
  private lastNotice: string | null = null;

  constructor(parts: ElectionParts) {
    this.config = parts.config;
    this.store = parts.store;
    this.clock = parts.clock;
    this.time = parts.time;
    this.events = parts.events;
    this.random = parts.random;
    this.longestTtlMs = parts.config.leaseTtlMs;
  }

  get election(): string {
    return this.config.election;
  }

  nextAttempt(): number {
    return ++this.attempts;
  }

  sawEpoch(epoch: number): void {
    this.floor = Math.max(this.floor, epoch);
  }

  sawTtl(ttlMs: number): void {
    this.longestTtlMs = Math.max(this.longestTtlMs, ttlMs);
  }

  sawNotice(sight: Pick<LeaseSight, 'notice'>): void {
    if (sight.notice === undefined || sight.notice === this.lastNotice) return;
    this.lastNotice = sight.notice;
    this.events.notice({ election: this.election, text: sight.notice });
  }

  /** Between half of `delayMs` and all of it. */
  jittered(delayMs: number): number {
    return delayMs * (0.5 + this.random() / 2);
  }

  retryDelay(): number {
    return this.jittered(retryDelayMs(this.config.leaseTtlMs));
  }

  /**
   * Asks the store, and always settles: a store that throws, or whose promise never settles, rejects here after
   * `timeoutMs`. `late` gets an answer that came too late to be returned.
   */
  async ask<T>(
    operation: StoreOperation,
    timeoutMs: number,
    call: (timeoutMs: number) => Promise<T>,
    late?: (answer: T) => void,
  ): Promise<T> {
    this.underWay += 1;
    try {
      const answer = await this.settleWithin(Math.max(1, Math.floor(timeoutMs)), call, late);
      this.events.storeAnswered({ election: this.election });
      return answer;
    } catch (error) {
      this.events.storeFailed({ election: this.election, operation, error });
      throw error;
    } finally {
      this.underWay -= 1;
      if (this.underWay === 0) this.onSettled?.();
    }
  }

  /** Resolves when no call is under way; each one settles within its timeout. */
  async settled(): Promise<void> {
    while (this.underWay > 0) {
      await new Promise<void>((resolve) => (this.onSettled = resolve));
      // Whoever waits for that call comes first, and may ask again.
      await Promise.resolve();
    }
  }

  private settleWithin<T>(
    timeoutMs: number,
    call: (timeoutMs: number) => Promise<T>,
    late?: (answer: T) => void,
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      let waiting = true;
      const answered = Promise.resolve().then(() => call(timeoutMs));
      const expire = () => {
        waiting = false;
        reject(new LeaseStoreError('unreachable', `No answer within ${timeoutMs} ms.`));
      };
      // In two steps: after a blocked loop timers come before the answers that have arrived meanwhile. It also lets the
      // store's own timeout come first, which says more.
      let cancel = this.clock.setTimer(() => {
        cancel = this.clock.setTimer(expire, 1);
      }, timeoutMs);
      answered.then(
        (answer) => {
          cancel();
          if (waiting) resolve(answer);
          else late?.(answer);
        },
        (error: unknown) => {
          cancel();
          reject(
            error instanceof Error ? error : new LeaseStoreError('unavailable', String(error)),
          );
        },
      );
    });
  }
}
