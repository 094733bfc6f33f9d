/** The rules about when somebody has to lead. */
import type { BeliefEvent, EndedEvent, HistoryEvent } from './history.js';
import type { Expectations, LedWithin, Violation } from './history-rules.js';
import { ms } from './instant.js';

interface Due extends LedWithin {
  readonly rule: 'led-in-time' | 'handed-over-in-time';
}

/** Sees the events in order, and notes where nobody leads in time. */
export class TimeRules {
  /** Expectations whose time has not come, the latest first. */
  private readonly coming: LedWithin[];
  /** Those that wait for somebody to lead; hardly ever more than two. */
  private open: Due[] = [];
  /** Of all beliefs so far the one that reaches furthest, and the furthest of another node. */
  private furthest: BeliefEvent | null = null;
  private furthestOther: BeliefEvent | null = null;
  private lastAt = -Infinity;

  constructor(
    private readonly violations: Violation[],
    ledWithin: readonly LedWithin[],
    private readonly handOverMs: number | undefined,
    private readonly excused: NonNullable<Expectations['excused']>,
  ) {
    this.coming = [...ledWithin];
    this.coming.sort((a, b) => b.after - a.after);
  }

  see(event: HistoryEvent): void {
    this.openUntil(event.at);
    this.lastAt = Math.max(this.lastAt, event.at);
    if (event.kind === 'granted' || event.kind === 'belief') {
      if (this.open.length > 0) this.led(event.node, event.at);
      if (event.kind === 'belief') this.believed(event);
      // The lease did not change hands.
      else this.callOff(event.node);
    } else if (event.kind === 'ended') this.seeEnd(event);
    else if (event.kind === 'unreleased') this.callOff(event.node);
  }

  /** No more events. */
  end(): void {
    this.openUntil(Infinity);
    for (const due of this.open) {
      // A history that ends sooner does not tell whether it was handed over in time.
      const isTooShort = this.lastAt - due.after <= due.withinMs;
      if (due.rule === 'led-in-time' || !isTooShort) this.broken(due, null);
    }
  }

  /** Opens what is due at that instant, but for what a leader who goes on fulfils. */
  private openUntil(at: number): void {
    for (let next = this.coming.at(-1); next && next.after <= at; next = this.coming.at(-1)) {
      this.coming.pop();
      const { after, except } = next;
      const leading = this.furthest?.node === except ? this.furthestOther : this.furthest;
      if (leading !== null && endOf(leading) > after) continue;
      this.open.push({ ...next, rule: 'led-in-time' });
    }
  }

  private seeEnd({ node, at, reason }: EndedEvent): void {
    if (this.handOverMs === undefined) return;
    if (reason !== 'released' && reason !== 'shutdown') return;
    const { handOverMs: withinMs } = this;
    this.open.push({ rule: 'handed-over-in-time', after: at, withinMs, except: node });
  }

  private led(node: string, at: number): void {
    this.open = this.open.filter((due) => {
      if (due.except === node) return true;
      if (at - due.after > due.withinMs) this.broken(due, at);
      return false;
    });
  }

  private believed(event: BeliefEvent): void {
    const { furthest, furthestOther } = this;
    this.lastAt = Math.max(this.lastAt, endOf(event));
    if (furthest === null || endOf(event) > endOf(furthest)) {
      if (furthest !== null && furthest.node !== event.node) this.furthestOther = furthest;
      this.furthest = event;
    } else if (event.node !== furthest.node) {
      if (furthestOther === null || endOf(event) > endOf(furthestOther)) this.furthestOther = event;
    }
  }

  private callOff(node: string): void {
    if (this.open.length === 0) return;
    this.open = this.open.filter(({ rule, except }) => rule === 'led-in-time' || except !== node);
  }

  private broken({ rule, after, withinMs, except }: Due, ledAt: number | null): void {
    if (rule === 'handed-over-in-time' && this.isExcused(after, after + withinMs)) return;
    const when = ledAt === null ? 'never' : `only after ${ms(ledAt - after)} ms`;
    const who = except === undefined ? 'nobody' : `nobody but ${except}`;
    const what = rule === 'led-in-time' ? '' : `, when ${except} gave its lease back`;
    this.violations.push({
      rule,
      message: `${who} led within ${withinMs} ms after ${ms(after)}${what}: ${when}`,
    });
  }

  private isExcused(from: number, until: number): boolean {
    return this.excused.some(
      (stretch) => stretch.from <= until && (stretch.until ?? Infinity) >= from,
    );
  }
}

function endOf({ at, until }: BeliefEvent): number {
  return until ?? at;
}
