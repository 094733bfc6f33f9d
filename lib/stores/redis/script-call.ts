import type { Redis } from 'ioredis';
import { LeaseStoreError } from '../../election/election.errors.js';
import { toStoreError } from './redis-errors.js';
import type { ElectionKeys } from './redis-keys.js';

/** One request to a script: it settles once, within its timeout, whatever becomes of it on the way. */
export class ScriptCall {
  /** Where and when it was sent last, if it was. */
  sent: { readonly on: Redis; readonly at: number } | null = null;
  readonly reply: Promise<readonly string[]>;
  private settled = false;
  private resolve!: (reply: readonly string[]) => void;
  private reject!: (error: LeaseStoreError) => void;
  private readonly timer: NodeJS.Timeout;

  constructor(
    readonly keys: ElectionKeys,
    readonly tag: string,
    /** Without the tag. */
    readonly args: readonly (string | number)[],
    readonly timeoutMs: number,
    /** How many replicas must have what a yes has written (rule 17). */
    readonly minReplicaAcks: number,
    private readonly silent: (call: ScriptCall) => void,
  ) {
    this.reply = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    // After a blocked loop timers come before the answers that have arrived meanwhile: those are read first.
    this.timer = setTimeout(() => setImmediate(() => this.expire()), timeoutMs);
  }

  /** Answered, failed, or given up: it must not be sent any more (rule 24). */
  get isOver(): boolean {
    return this.settled;
  }

  answer(reply: readonly string[]): void {
    this.settle();
    this.resolve(reply);
  }

  fail(error: unknown): void {
    this.settle();
    this.reject(toStoreError(error));
  }

  private expire(): void {
    if (this.settled) return;
    this.fail(
      new LeaseStoreError('unreachable', `Redis did not answer within ${this.timeoutMs} ms.`),
    );
    this.silent(this);
  }

  private settle(): void {
    this.settled = true;
    clearTimeout(this.timer);
  }
}
