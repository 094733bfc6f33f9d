/** The true time that all machines of one test share, and the timers that wait for it. */

/** Whose timers stand still while it is held: a process that is stopped, a machine that sleeps. */
export interface TimerOwner {
  readonly isHeld: boolean;
  /** Timers of this owner that are still to fire. */
  pendingTimers: number;
  /** A timer came due while the owner was held; it is given back with `add` when that is over. */
  park(timer: Timer): void;
}

export interface Timer {
  readonly owner: TimerOwner;
  /** Null once it has fired or was cancelled. */
  callback: (() => void) | null;
  dueAt: number;
  /** Of timers that are due at the same time, the one set first fires first. */
  order: number;
}

/** More timers than this in one `advance` are a loop that does not end. */
const RUNAWAY_TIMERS = 2_000_000;
const SETTLED = Promise.resolve();

export class Timeline {
  nowMs = 0;
  readonly afterStep = new Set<() => void>();
  /** A binary heap, the next timer first. */
  private readonly heap: Timer[] = [];
  private orders = 0;
  private fired = 0;
  /** How far time is being advanced, null while it stands still. */
  private until: number | null = null;
  private done: { resolve: () => void; reject: (error: unknown) => void } | null = null;
  private readonly afterMicrotasks = (): void => process.nextTick(this.step);
  private readonly step = (): void => {
    try {
      for (const look of this.afterStep) look();
      if (this.fireNext()) this.settle();
      else this.finish();
    } catch (error) {
      this.until = null;
      this.done?.reject(error);
    }
  };

  /** Fires what is due in order, and lets promises settle in between. */
  advance(ms: number): Promise<void> {
    if (this.until !== null) throw new Error('Time is advanced already: await it first.');
    this.until = this.nowMs + ms;
    this.fired = 0;
    return new Promise((resolve, reject) => {
      this.done = { resolve, reject };
      this.settle();
    });
  }

  set(owner: TimerOwner, callback: () => void, delayMs: number): () => void {
    const dueAt = this.nowMs + Math.max(0, delayMs);
    const timer: Timer = { owner, callback, dueAt, order: (this.orders += 1) };
    owner.pendingTimers += 1;
    this.add(timer);
    return () => {
      if (timer.callback === null) return;
      timer.callback = null; // It stays in the heap until its time has come.
      owner.pendingTimers -= 1;
    };
  }

  add(timer: Timer): void {
    const { heap } = this;
    let at = heap.length;
    heap.push(timer);
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = heap[above];
      if (parent === undefined || isBefore(parent, timer)) break;
      heap[at] = parent;
      at = above;
    }
    heap[at] = timer;
  }

  /** Puts off all timers of one owner. */
  delay(owner: TimerOwner, ms: number): void {
    const timers = this.heap.splice(0);
    for (const timer of timers) {
      if (timer.owner === owner) timer.dueAt += ms;
      this.add(timer);
    }
  }

  /**
   * Lets every promise that can go on do so, and then takes the next step; no time passes. A tick that is asked for in
   * a microtask comes when no microtask is left: several times faster than `setImmediate`, and as certain.
   */
  private settle(): void {
    void SETTLED.then(this.afterMicrotasks);
  }

  private fireNext(): boolean {
    const until = this.until ?? this.nowMs;
    const next = this.takeDue(until);
    if (next === null) {
      if (this.nowMs === until) return false;
      this.nowMs = until;
      return true;
    }
    this.fired += 1;
    if (this.fired > RUNAWAY_TIMERS)
      throw new Error(`Timers do not come to rest at ${this.nowMs}.`);
    if (next.dueAt > this.nowMs) this.nowMs = next.dueAt;
    const { callback, owner } = next;
    next.callback = null;
    owner.pendingTimers -= 1;
    callback?.();
    return true;
  }

  private finish(): void {
    this.until = null;
    this.done?.resolve();
  }

  private takeDue(until: number): Timer | null {
    for (;;) {
      const next = this.heap[0];
      if (next === undefined || next.dueAt > until) return null;
      this.removeFirst();
      if (next.callback === null) continue;
      if (!next.owner.isHeld) return next;
      next.owner.park(next);
    }
  }

  private removeFirst(): void {
    const { heap } = this;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let at = 0;
    for (;;) {
      const left = heap[2 * at + 1];
      const right = heap[2 * at + 2];
      const isRight = left !== undefined && right !== undefined && isBefore(right, left);
      const child = isRight ? right : left;
      if (child === undefined || isBefore(last, child)) break;
      heap[at] = child;
      at = 2 * at + (isRight ? 2 : 1);
    }
    heap[at] = last;
  }
}

function isBefore(a: Timer, b: Timer): boolean {
  return a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.order < b.order);
}
