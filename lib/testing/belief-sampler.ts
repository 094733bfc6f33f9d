/** Asks a node again and again whether it leads, and tells for how long it said so. */
import type { BeliefEvent } from './history.js';

/** A belief that goes on is told in pieces of this length, so that little is lost with a killed process. */
const PIECE_MS = 50;

export interface BeliefSource {
  readonly isLeader: boolean;
  readonly epoch: number | null;
}

/**
 * The pieces of one belief join; a look that says "no", or another epoch, ends it at the last look that said "yes".
 * So a pause between two looks counts as belief exactly when the node says after it that it still leads.
 */
export class BeliefSampler {
  private piece: { epoch: number; from: number; until: number } | null = null;

  constructor(
    private readonly node: string,
    private readonly source: BeliefSource,
    private readonly now: () => number,
    private readonly record: (belief: BeliefEvent) => void,
  ) {}

  look(): void {
    // Before the answer: a process that is stopped between the two must not be taken for one that leads after that.
    // A "yes" holds for that instant too, as nothing is granted in between.
    const at = this.now();
    const { isLeader } = this.source;
    const epoch = isLeader ? this.source.epoch : null;
    if (this.piece !== null && this.piece.epoch !== epoch) this.end();
    if (epoch === null) return;
    this.piece ??= { epoch, from: at, until: at };
    this.piece.until = at;
    if (at - this.piece.from < PIECE_MS) return;
    this.tell(this.piece, true);
    this.piece = { epoch, from: at, until: at };
  }

  /** Tells what was not told yet. */
  end(): void {
    if (this.piece !== null) this.tell(this.piece, false);
    this.piece = null;
  }

  private tell({ epoch, from, until }: NonNullable<typeof this.piece>, open: boolean): void {
    this.record({ kind: 'belief', node: this.node, at: from, until, epoch, open });
  }
}
