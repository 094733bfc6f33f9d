/** The rules about who leads: one at a time, under epochs that grow. */
import type { BeliefEvent, GoneEvent, GrantedEvent, HistoryEvent, RunEvent } from './history.js';
import type { Violation } from './history-rules.js';
import { ms } from './instant.js';

/** Sees the events in order, and notes what breaks `one-leader` and `epochs-grow`. */
export class LeaderRules {
  /** Beliefs that go on at the last instant, and some that have ended; hardly ever more than two. */
  private standing: BeliefEvent[] = [];
  /** Who was granted the highest epoch, or said first that it leads with it. */
  private highest: GrantedEvent | BeliefEvent | RunEvent | null = null;
  /** The process with the highest epoch is gone. */
  private isHighestOver = false;
  /** The pairs of leaderships whose overlap was told. */
  private told: Set<string> | null = null;

  constructor(private readonly violations: Violation[]) {}

  see(event: HistoryEvent): void {
    if (event.kind === 'granted') this.seeGrant(event);
    else if (event.kind === 'belief' || event.kind === 'run') this.seeLeading(event);
    else if (event.kind === 'gone') this.seeGone(event);
  }

  private seeGrant(event: GrantedEvent): void {
    const { highest } = this;
    if (highest !== null && event.epoch <= highest.epoch) {
      // Seen to lead at the instant of the grant, and told of it right after that.
      if (highest.kind !== 'granted' && this.isItsOwn(event)) this.highest = event;
      else {
        const how = event.epoch === highest.epoch ? 'again' : 'after a higher one';
        const message = `epoch ${event.epoch} granted ${how}: to ${event.node} at ${ms(event.at)}`;
        this.outgrown(message, highest);
      }
      return;
    }
    this.raise(event);
    for (const belief of this.standing) {
      if (belief.epoch >= event.epoch || endOf(belief) <= event.at) continue;
      this.outgrown(`${saying(belief)} until ${ms(endOf(belief))}`, event);
    }
  }

  /** Whoever does leader-only work says with it that it leads. */
  private seeLeading(event: BeliefEvent | RunEvent): void {
    const { highest, standing } = this;
    let replaces = -1;
    let kept = 0;
    for (const other of standing) {
      if (endOf(other) <= event.at) continue;
      if (other.node === event.node) {
        if (other.epoch === event.epoch) replaces = kept;
      } else if (other.at < endOf(event)) {
        this.overlap(event, other);
      }
      standing[kept] = other;
      kept += 1;
    }
    standing.length = kept;
    if (event.kind === 'belief') this.stand(event, replaces);
    if (highest === null || event.epoch > highest.epoch) this.raise(event);
    else if (event.epoch === highest.epoch ? !this.isItsOwn(event) : endOf(event) > highest.at) {
      this.outgrown(`${saying(event)} at ${ms(event.at)}`, highest);
    }
  }

  private seeGone({ node, at }: GoneEvent): void {
    if (this.highest?.node === node) this.isHighestOver = true;
    for (const belief of this.standing) {
      if (belief.node !== node || endOf(belief) <= at) continue;
      const message = `${saying(belief)} until ${ms(endOf(belief))}, after it was gone at ${ms(at)}`;
      this.violations.push({ rule: 'nothing-after-gone', message });
    }
  }

  private raise(event: GrantedEvent | BeliefEvent | RunEvent): void {
    this.highest = event;
    this.isHighestOver = false;
  }

  /** Whether the process with the highest epoch says so. */
  private isItsOwn({ node, epoch }: GrantedEvent | BeliefEvent | RunEvent): boolean {
    const { highest } = this;
    return highest?.node === node && highest.epoch === epoch && !this.isHighestOver;
  }

  /** Of one leadership only what reaches furthest: whoever overlaps an earlier piece overlaps that. */
  private stand(event: BeliefEvent, replaces: number): void {
    const same = this.standing[replaces];
    if (same === undefined) this.standing.push(event);
    else if (endOf(event) > endOf(same)) this.standing[replaces] = event;
  }

  /** Once for two leaderships that overlap, in however many pieces; and for each run. */
  private overlap(event: BeliefEvent | RunEvent, other: BeliefEvent): void {
    this.told ??= new Set();
    const key = pairOf(event, other);
    if (event.kind === 'belief' && this.told.has(key)) return;
    this.told.add(key);
    this.violations.push({
      rule: 'one-leader',
      message: `${saying(event)} at ${ms(event.at)} while ${saying(other)} from ${ms(other.at)} to ${ms(endOf(other))}`,
    });
  }

  private outgrown(said: string, by: GrantedEvent | BeliefEvent | RunEvent): void {
    const what = by.kind === 'granted' ? `epoch ${by.epoch} was granted to ${by.node}` : saying(by);
    this.violations.push({
      rule: 'epochs-grow',
      message: `${said}, after ${what} at ${ms(by.at)}`,
    });
  }
}

/** The same for both orders. */
function pairOf(a: BeliefEvent | RunEvent, b: BeliefEvent): string {
  const one = `${a.node}#${a.epoch}`;
  const two = `${b.node}#${b.epoch}`;
  return one < two ? `${one} ${two}` : `${two} ${one}`;
}

function endOf(event: BeliefEvent | RunEvent): number {
  return event.kind === 'belief' ? (event.until ?? event.at) : event.at;
}

function saying({ node, kind, epoch }: BeliefEvent | RunEvent): string {
  return kind === 'run'
    ? `${node} worked under epoch ${epoch}`
    : `${node} said that it leads with epoch ${epoch}`;
}
