/** What is measured in one run. */

export interface Figures {
  ranMs: number;
  rounds: number;
  /** Log lines of one worker in a minute. */
  lineRate: number;
  /** From the end of the faults until somebody led. */
  readonly recoveriesMs: number[];
  readonly handOversMs: number[];
  readonly failovers: { readonly failoverMs: number; readonly ledAgainMs: number }[];
  /** Of one worker that lived all the time, after a garbage collection in each calm. */
  readonly heapBytes: number[];
}

export function newFigures(): Figures {
  return {
    ranMs: 0,
    rounds: 0,
    lineRate: 0,
    recoveriesMs: [],
    handOversMs: [],
    failovers: [],
    heapBytes: [],
  };
}
