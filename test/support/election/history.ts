/** Turns looks at candidates into the events of a history, on virtual time. */
import { checkHistory, type Expectations, type HistoryEvent } from '../../../lib/index.js';

/** What is seen of a candidate. */
export interface Seen {
  readonly name: string;
  readonly candidate: { readonly leadership: { readonly epoch: number } | null };
}

/** A stretch in which `isLeader` was true, up to the last look so far. */
interface Belief {
  readonly kind: 'belief';
  readonly node: string;
  readonly epoch: number;
  readonly at: number;
  until: number;
  /** The last look found it true. */
  open: boolean;
}

/**
 * Virtual time stands still while much happens. Each observation is this much later than the one before, so that one
 * thing after the other is not taken for two at once, nor two at once for one after the other.
 */
const OBSERVATION_MS = 1e-6;

/** What was seen of an election, by looking at every candidate after every step and by listening to all of them. */
export class History {
  readonly events: HistoryEvent[] = [];
  readonly beliefs: Belief[] = [];
  private readonly open = new Map<string, Belief>();
  private lastAt = -Infinity;

  /** One look at everybody. Returns its instant, which no other look has. */
  look(nowMs: number, nodes: readonly Seen[]): number {
    const at = Math.max(nowMs, this.lastAt + OBSERVATION_MS);
    this.lastAt = at;
    for (const { name, candidate } of nodes) {
      this.see(at, name, candidate.leadership?.epoch ?? null);
    }
    return at;
  }

  /** The stretches in which nobody led, from the first leadership on. */
  gaps(): number[] {
    return this.beliefs
      .slice(1)
      .map(({ at }, index) => Math.max(0, at - (this.beliefs[index]?.until ?? at)));
  }

  /** Throws with all that is wrong; what is not `expected` holds for every history, whatever the faults. */
  verify(expected?: Expectations): void {
    const violations = checkHistory(this.events, expected);
    if (violations.length === 0) return;
    const told = violations.map(({ rule, message }) => `${rule}: ${message}`);
    throw new Error(`The history is wrong:\n${told.join('\n')}`);
  }

  private see(at: number, node: string, epoch: number | null): void {
    const open = this.open.get(node);
    // A "yes" counts up to the next look: two that say it at one look overlap.
    if (open !== undefined) open.until = at;
    if ((open?.epoch ?? null) === epoch) return;
    if (open !== undefined) {
      open.open = false;
      this.open.delete(node);
    }
    if (epoch === null) return;
    const belief: Belief = { kind: 'belief', node, epoch, at, until: at, open: true };
    this.open.set(node, belief);
    this.beliefs.push(belief);
    this.events.push(belief);
  }
}
