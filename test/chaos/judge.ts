/** Checks the history as it grows: the last half minute, with what went before it and still matters. */
import { checkHistory, type HistoryEvent, sharedNowMs, type Violation } from '../../lib/index.js';

/** Longer than any pause of a worker, since what it did before is told after that. */
const KEEP_MS = 30_000;

type Kept<Kind extends HistoryEvent['kind']> = Extract<HistoryEvent, { kind: Kind }>;

interface NodePast {
  granted: Kept<'granted'> | null;
  changed: Kept<'changed'> | null;
}

export class Judge {
  readonly history: HistoryEvent[] = [];
  recent: readonly HistoryEvent[] = [];
  private readonly past = new Map<string, NodePast>();
  private highest: Kept<'granted'> | null = null;

  see(events: readonly HistoryEvent[]): readonly Violation[] {
    for (const event of events) this.history.push(event);
    this.recent = [...this.recent, ...events];
    const violations = checkHistory([...this.carried(), ...this.recent]);
    this.forget(sharedNowMs() - KEEP_MS);
    return violations;
  }

  private forget(before: number): void {
    const isPast = (event: HistoryEvent) =>
      Math.max(event.at, (event.kind === 'belief' ? event.until : undefined) ?? 0) < before;
    for (const event of this.recent.filter(isPast)) this.remember(event);
    this.recent = this.recent.filter((event) => !isPast(event));
  }

  private remember(event: HistoryEvent): void {
    const past = this.past.get(event.node) ?? { granted: null, changed: null };
    this.past.set(event.node, past);
    if (event.kind === 'gone') this.past.delete(event.node);
    else if (event.kind === 'ended') past.granted = null;
    else if (event.kind === 'changed') {
      // It ended something that is no longer known.
      past.changed = { ...event, change: { ...event.change, reason: null } };
    } else if (event.kind === 'granted') {
      past.granted = event;
      if (this.highest === null || event.epoch > this.highest.epoch) this.highest = event;
    }
  }

  private carried(): readonly HistoryEvent[] {
    const { highest } = this;
    const open = [...this.past.values()].flatMap(({ granted, changed }) =>
      [granted, changed].filter((event) => event !== null),
    );
    // Whoever was granted the highest epoch may be gone; another name keeps that from looking like a second grant.
    if (highest === null || open.includes(highest)) return open;
    return [{ ...highest, node: 'before' }, ...open];
  }
}
