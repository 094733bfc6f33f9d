/** Measures how late timers fire here: what a machine with too much to do adds to each bound of a test. */
import { sharedNowMs } from '../../../lib/index.js';

const TICK_MS = 10;
/**
 * A take-over waits for the processor several times: the follower's timer, the request, Redis, the reply. Each may be
 * as late as the worst timer here.
 */
const WAITS_IN_A_ROW = 4;

export class LagMeter {
  private readonly lags: { readonly at: number; readonly lagMs: number }[] = [];
  private lastAt = sharedNowMs();
  private readonly timer = setInterval(() => this.tick(), TICK_MS);

  /** What to add to a bound on something that took place since then; next to nothing on a quiet machine. */
  allowanceSince(instant: number): number {
    const since = this.lags.filter(({ at }) => at >= instant).map(({ lagMs }) => lagMs);
    return WAITS_IN_A_ROW * Math.max(0, ...since);
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private tick(): void {
    const at = sharedNowMs();
    const lagMs = at - this.lastAt - TICK_MS;
    if (lagMs > TICK_MS) this.lags.push({ at, lagMs });
    this.lastAt = at;
  }
}
