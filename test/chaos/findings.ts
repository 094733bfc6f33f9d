/** What was found to be wrong, beside the history. */
import { type HistoryRule, sharedNowMs } from '../../lib/index.js';

export type Rule =
  | HistoryRule
  /** A worker is ready soon after its start, also when Redis is away. */
  | 'boots'
  /** No worker ends by itself. */
  | 'lives'
  /** A worker that is asked to end does so soon, also when Redis is away. */
  | 'closes-in-time'
  /** A worker answers when no fault keeps it from that. */
  | 'answers'
  /** No worker writes ever more to its log. */
  | 'few-log-lines'
  /** Nothing is left unhandled: no rejection, no `error` event, no leak of listeners. */
  | 'nothing-unhandled'
  /** Memory stays as it was. */
  | 'memory-flat'
  /** After a failover somebody leads within its time plus one lease. */
  | 'led-after-failover'
  /** The servers are whole again after the faults: not about the library. */
  | 'servers-recover';

export interface Finding {
  readonly rule: Rule;
  readonly message: string;
  readonly at: number;
}

export class Findings {
  readonly all: Finding[] = [];

  add(rule: Rule, message: string): void {
    this.all.push({ rule, message, at: sharedNowMs() });
  }

  get any(): boolean {
    return this.all.length > 0;
  }
}
