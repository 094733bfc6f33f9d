/** Decides whether a recorded history keeps the promises of an election. Depends on no test runner and no platform. */
import type { Belief, Ended, Granted, HistoryEvent, Run } from './history.js';

export type HistoryRule =
  /** No two nodes say that they lead at one instant. */
  | 'one-leader'
  /** Each grant has a higher epoch than all before, and nobody speaks or acts under an epoch that was overtaken. */
  | 'epochs-grow'
  /** On one node, grant and end alternate, with one epoch and a reason for the end. */
  | 'grants-and-ends-alternate'
  /** Leader-only work begins only within the leadership that it names. */
  | 'runs-inside-leadership'
  /** Somebody leads again within the time that was given. */
  | 'led-in-time';

export interface Violation {
  readonly rule: HistoryRule;
  /** In words, with the nodes, epochs and instants that break the rule. */
  readonly message: string;
}

export interface LedWithin {
  readonly after: number;
  readonly withinMs: number;
  /** The node that does not count: the one that was killed. */
  readonly except?: string | undefined;
}

/** All that is wrong with this history, nothing when it is right. The events may come in any order. */
export function checkHistory(
  history: readonly HistoryEvent[],
  expected: readonly LedWithin[] = [],
): readonly Violation[] {
  const events = [...history];
  events.sort((a, b) => a.at - b.at);
  return [
    ...oneLeader(events),
    ...epochsGrow(events),
    ...grantsAndEndsAlternate(events),
    ...runsInside(events),
    ...ledInTime(events, expected),
  ];
}

/** The first instant after `after` at which some node says that it leads; null when there is none. */
export function firstLedAfter(
  history: readonly HistoryEvent[],
  { after, except }: Pick<LedWithin, 'after' | 'except'>,
): number | null {
  const instants = history
    .filter(isBelief)
    .filter((belief) => belief.node !== except && endOf(belief) > after)
    .map(({ at }) => Math.max(at, after));
  return instants.length === 0 ? null : Math.min(...instants);
}

function oneLeader(events: readonly HistoryEvent[]): Violation[] {
  const violations: Violation[] = [];
  // For each node the belief that reaches furthest: whoever overlaps an earlier one overlaps that.
  const furthest = new Map<string, Belief>();
  const told = new Set<string>();
  for (const event of events) {
    // Whoever begins leader-only work says with it that it leads.
    if (event.kind !== 'belief' && event.kind !== 'run') continue;
    for (const other of furthest.values()) {
      if (other.node === event.node || event.at > endOf(other)) continue;
      // Once for two leaderships that overlap, in however many pieces; and for each run.
      const key = pairOf(event, other);
      if (event.kind === 'belief' && told.has(key)) continue;
      told.add(key);
      violations.push({
        rule: 'one-leader',
        message: `${saying(event)} at ${ms(event.at)} while ${saying(other)} from ${ms(other.at)} to ${ms(endOf(other))}`,
      });
    }
    const mine = furthest.get(event.node);
    if (event.kind === 'belief' && (mine === undefined || endOf(event) > endOf(mine))) {
      furthest.set(event.node, event);
    }
  }
  return violations;
}

function epochsGrow(events: readonly HistoryEvent[]): Violation[] {
  const violations: Violation[] = [];
  let highest: Granted | null = null;
  for (const event of events) {
    if (event.kind === 'granted') {
      if (highest !== null && event.epoch <= highest.epoch) {
        const how = event.epoch === highest.epoch ? 'again' : 'after a higher one';
        violations.push({
          rule: 'epochs-grow',
          message: `epoch ${event.epoch} granted ${how}: to ${event.node} at ${ms(event.at)}, after ${highest.epoch} to ${highest.node} at ${ms(highest.at)}`,
        });
      } else {
        highest = event;
      }
    } else if (event.kind === 'belief' || event.kind === 'run') {
      if (highest !== null && event.epoch < highest.epoch) {
        violations.push({
          rule: 'epochs-grow',
          message: `${saying(event)} at ${ms(event.at)}, after epoch ${highest.epoch} was granted to ${highest.node} at ${ms(highest.at)}`,
        });
      }
    }
  }
  return violations;
}

function grantsAndEndsAlternate(events: readonly HistoryEvent[]): Violation[] {
  const violations: Violation[] = [];
  const broken = (what: string, { node, at, epoch }: Granted | Ended) =>
    violations.push({
      rule: 'grants-and-ends-alternate',
      message: `${node}: ${what}, epoch ${epoch} at ${ms(at)}`,
    });
  const standing = new Map<string, Granted>();
  for (const event of events) {
    if (event.kind === 'gone') standing.delete(event.node);
    const open = standing.get(event.node);
    if (event.kind === 'granted') {
      if (open !== undefined) broken(`granted before epoch ${open.epoch} ended`, event);
      standing.set(event.node, event);
    } else if (event.kind === 'ended') {
      if (open === undefined) broken('ended without a grant', event);
      else if (open.epoch !== event.epoch) broken(`ended, while it held ${open.epoch}`, event);
      if (!event.reason) broken('ended without a reason', event);
      standing.delete(event.node);
    }
  }
  return violations;
}

function runsInside(events: readonly HistoryEvent[]): Violation[] {
  const violations: Violation[] = [];
  const standing = new Map<string, number>();
  for (const event of events) {
    if (event.kind === 'granted') standing.set(event.node, event.epoch);
    else if (event.kind === 'ended' || event.kind === 'gone') standing.delete(event.node);
    else if (event.kind === 'run' && standing.get(event.node) !== event.epoch) {
      const held = standing.get(event.node);
      violations.push({
        rule: 'runs-inside-leadership',
        message: `${saying(event)} at ${ms(event.at)}, while it held ${held === undefined ? 'no leadership' : `epoch ${held}`}`,
      });
    }
  }
  return violations;
}

function ledInTime(events: readonly HistoryEvent[], expected: readonly LedWithin[]): Violation[] {
  return expected.flatMap((expectation): Violation[] => {
    const { after, withinMs } = expectation;
    const ledAt = firstLedAfter(events, expectation);
    if (ledAt !== null && ledAt - after <= withinMs) return [];
    const when = ledAt === null ? 'never' : `only after ${ms(ledAt - after)} ms`;
    return [
      {
        rule: 'led-in-time',
        message: `nobody led within ${withinMs} ms after ${ms(after)}: ${when}`,
      },
    ];
  });
}

/** The same for both orders. */
function pairOf(a: Belief | Run, b: Belief): string {
  const [one, two] = [`${a.node}#${a.epoch}`, `${b.node}#${b.epoch}`];
  return one < two ? `${one} ${two}` : `${two} ${one}`;
}

function isBelief(event: HistoryEvent): event is Belief {
  return event.kind === 'belief';
}

function endOf({ at, until }: Belief): number {
  return Math.max(at, until ?? at);
}

function saying({ node, kind, epoch }: Belief | Run): string {
  return kind === 'run'
    ? `${node} began work under epoch ${epoch}`
    : `${node} said that it leads with epoch ${epoch}`;
}

function ms(instant: number): string {
  return instant.toFixed(3);
}
