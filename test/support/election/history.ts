import type { LeadershipChange } from '../../../lib/election/election-events.interface.js';
import type { LossReason } from '../../../lib/election/election.errors.js';

/** A stretch in which `isLeader` was true; `to` is null while it is. */
export interface Interval {
  readonly who: string;
  readonly epoch: number;
  readonly from: number;
  to: number | null;
}

export type Entry = { readonly who: string; readonly at: number } & (
  | { readonly kind: 'granted'; readonly epoch: number }
  | { readonly kind: 'ended'; readonly epoch: number; readonly reason: LossReason }
  | { readonly kind: 'change'; readonly change: LeadershipChange }
);

/** What was seen of an election, by looking at every candidate after every step and by listening to all of them. */
export class History {
  readonly intervals: Interval[] = [];
  readonly entries: Entry[] = [];
  /** What was wrong at the moment it was seen. */
  readonly alarms: string[] = [];
  private readonly open = new Map<string, Interval>();

  /** One look at everybody: who leads, under which epoch. */
  look(at: number, leaders: ReadonlyMap<string, number>): void {
    if (leaders.size > 1) this.alarms.push(`${at}: ${[...leaders.keys()].join(' and ')} lead`);
    for (const [who, interval] of this.open) {
      if (leaders.get(who) === interval.epoch) continue;
      interval.to = at;
      this.open.delete(who);
    }
    for (const [who, epoch] of leaders) {
      if (this.open.has(who)) continue;
      const interval: Interval = { who, epoch, from: at, to: null };
      this.open.set(who, interval);
      this.intervals.push(interval);
    }
  }

  add(entry: Entry): void {
    this.entries.push(entry);
  }

  /** The stretches in which nobody led, from the first leadership on. */
  gaps(): number[] {
    return this.intervals
      .slice(1)
      .map(({ from }, index) => from - (this.intervals[index]?.to ?? from));
  }
}

/** Throws with all that is wrong; the invariants hold for every history, whatever the faults. */
export function checkHistory(history: History): void {
  const problems = [
    ...history.alarms,
    ...overlaps(history.intervals),
    ...repeatedEpochs(history),
    ...unpairedEnds(history),
    ...wrongChanges(history),
  ];
  if (problems.length > 0) throw new Error(`The history is wrong:\n${problems.join('\n')}`);
}

function overlaps(intervals: readonly Interval[]): string[] {
  const problems: string[] = [];
  for (const [index, later] of intervals.entries()) {
    for (const earlier of intervals.slice(0, index)) {
      if (earlier.to === null || earlier.to > later.from) {
        problems.push(`${later.from}: ${later.who} leads while ${earlier.who} still does`);
      }
    }
  }
  return problems;
}

function repeatedEpochs({ entries }: History): string[] {
  const problems: string[] = [];
  let highest = 0;
  for (const entry of entries) {
    if (entry.kind !== 'granted') continue;
    if (entry.epoch <= highest) {
      problems.push(`${entry.at}: epoch ${entry.epoch} of ${entry.who} follows ${highest}`);
    }
    highest = Math.max(highest, entry.epoch);
  }
  return problems;
}

function unpairedEnds({ entries }: History): string[] {
  const problems: string[] = [];
  const held = new Map<string, number>();
  for (const entry of entries) {
    const epoch = held.get(entry.who);
    if (entry.kind === 'granted') {
      if (epoch !== undefined) problems.push(`${entry.at}: ${entry.who} granted twice`);
      held.set(entry.who, entry.epoch);
    }
    if (entry.kind === 'ended') {
      if (epoch !== entry.epoch) problems.push(`${entry.at}: ${entry.who} ends ${entry.epoch}`);
      held.delete(entry.who);
    }
  }
  return problems;
}

function wrongChanges({ entries }: History): string[] {
  const problems: string[] = [];
  const last = new Map<string, LeadershipChange>();
  for (const entry of entries) {
    if (entry.kind !== 'change') continue;
    const { who, at, change } = entry;
    const before = last.get(who);
    last.set(who, change);
    const complain = (what: string): void => void problems.push(`${at}: ${who} ${what}`);
    if (change.isLeader !== (change.state === 'leader')) complain('is leader in the wrong state');
    if (change.isLeader !== (change.epoch !== null)) complain('has an epoch without leading');
    if (before !== undefined && sameChange(before, change)) complain(`repeats ${change.state}`);
    if (before?.state === 'stopped') complain(`is ${change.state} after it stopped`);
    if (before?.isLeader === true && change.reason === null) complain('lost without a reason');
    const mayTell = before?.isLeader === true || before?.state === 'draining';
    if (!mayTell && change.reason !== null) complain('has a reason without a loss');
  }
  return problems;
}

function sameChange(a: LeadershipChange, b: LeadershipChange): boolean {
  return essence(a) === essence(b);
}

/** Everything but `since` and `reason`. */
function essence({ state, isLeader, epoch, leader }: LeadershipChange): string {
  return JSON.stringify({ state, isLeader, epoch, leader });
}
