/** What a history has to keep, and what is told where it does not. */

/** @publicApi */
export type HistoryRule =
  /** No two nodes say at one time that they lead. */
  | 'one-leader'
  /**
   * Each grant has a higher epoch than all before. An epoch belongs to the node that was first granted it, or first said
   * that it leads with it; nobody else ever does, and nobody leads or works under an epoch that was overtaken.
   */
  | 'epochs-grow'
  /** On one node, grant and end alternate, with one epoch and a reason for the end. */
  | 'grants-and-ends-alternate'
  /** Leader-only work is done only within the leadership that it names. */
  | 'runs-inside-leadership'
  /** The values of `leadership$` are right in themselves, and one after the other. */
  | 'changes-make-sense'
  /** A node says nothing after its process is gone, until a grant or a change begins another life of it. */
  | 'nothing-after-gone'
  /** Somebody leads within the time of a `LedWithin`. */
  | 'led-in-time'
  /** After a leadership that was given up somebody else leads within `gracefulHandOverMs`. */
  | 'handed-over-in-time';

/** @publicApi */
export interface Violation {
  readonly rule: HistoryRule;
  /** In words, with the nodes, epochs and instants that break the rule. */
  readonly message: string;
}

/**
 * Somebody leads at some instant from `after` to `after + withinMs`, both in milliseconds.
 *
 * @publicApi
 */
export interface LedWithin {
  readonly after: number;
  readonly withinMs: number;
  /** The node that does not count: the one that was killed, paused or cut off. */
  readonly except?: string | undefined;
}

/**
 * What the rules that hold for every history cannot know: when somebody has to lead.
 *
 * @publicApi
 */
export interface Expectations {
  readonly ledWithin?: readonly LedWithin[] | undefined;
  /**
   * How soon another node leads after an end with the reason `released` or `shutdown`. Not asked for where the lease
   * was not given back, where the same node was granted it again, or where the history ends sooner. Nothing is expected
   * when it is left out.
   */
  readonly gracefulHandOverMs?: number | undefined;
  /** When no hand-over can be expected, since there are faults or nobody to take over; without `until` to the end. */
  readonly excused?:
    readonly { readonly from: number; readonly until?: number | undefined }[] | undefined;
}
