/** How long messages are on their way between one candidate and one server, with what is wrong there now. */
import { type Fault, FAULTS_END_MS } from '../plan.js';
import type { World } from './world.js';

export const NEVER = Infinity;
/** A slow network or a late copy takes up to this much longer, in ms, for an amount of 999. */
const SLOWEST_MS = 2500;

export class Way {
  private readonly random: () => number;

  constructor(
    private readonly world: World,
    private readonly faults: readonly Fault[],
  ) {
    this.random = world.stream();
  }

  /** When a message that is sent now arrives, if ever. Nothing late reaches into the calm stretch. */
  arrival(cut: 'cut-requests' | 'cut-replies', laterMs: number): number {
    let takesMs = this.latency() + laterMs;
    for (const { kind, amount } of this.faults) {
      if (kind === cut) return NEVER;
      if (kind === 'lose' && this.random() * 1000 < amount) return NEVER;
      if (kind === 'slow') takesMs += (this.random() ** 2 * amount * SLOWEST_MS) / 1000;
    }
    const { now } = this.world;
    return now < FAULTS_END_MS ? Math.min(now + takesMs, FAULTS_END_MS) : now + takesMs;
  }

  /** How much later a request comes again, null where it does not. */
  repeatedAfterMs(): number | null {
    const again = this.faults.find(({ kind }) => kind === 'repeat');
    return again === undefined ? null : (this.random() * again.amount * SLOWEST_MS) / 1000;
  }

  /** How long the news of a release takes, null where it gets lost. */
  newsTakesMs(): number | null {
    if (this.faults.some(({ kind }) => kind === 'deaf')) return null;
    const late = this.faults.find(({ kind }) => kind === 'late-news');
    return this.latency() + (late === undefined ? 0 : this.random() * late.amount);
  }

  private latency(): number {
    const chance = this.random();
    return 0.1 + chance * chance * (chance > 0.99 ? 40 : 3);
  }
}
