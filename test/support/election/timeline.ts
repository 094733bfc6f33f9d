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

export class Timeline {
  nowMs = 0;
  readonly afterStep = new Set<() => void>();
  /** A binary heap, the next timer first. */
  private readonly heap: Timer[] = [];
  private orders = 0;
  private advancing = false;

  /** Fires what is due in order, and lets promises settle in between. */
  async advance(ms: number): Promise<void> {
    if (this.advancing) throw new Error('Time is advanced already: await it first.');
    this.advancing = true;
    try {
      const until = this.nowMs + ms;
      await Promise.resolve(); // `settle` counts on running in a microtask.
      await this.settle();
      let fired = 0;
      for (let next = this.takeDue(until); next !== null; next = this.takeDue(until)) {
        fired += 1;
        if (fired > RUNAWAY_TIMERS) throw new Error(`Timers do not come to rest at ${this.nowMs}.`);
        if (next.dueAt > this.nowMs) this.nowMs = next.dueAt;
        this.fire(next);
        await this.settle();
      }
      this.nowMs = until;
      await this.settle();
    } finally {
      this.advancing = false;
    }
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

  private fire(timer: Timer): void {
    const { callback, owner } = timer;
    if (callback === null) return;
    timer.callback = null;
    owner.pendingTimers -= 1;
    callback();
  }

  /**
   * Lets every promise that can go on do so; no time passes. It is called in a microtask, and Node looks at its ticks
   * only when no microtask is left: several times faster than `setImmediate`, and as certain.
   */
  private async settle(): Promise<void> {
    await new Promise<void>((resolve) => {
      process.nextTick(resolve);
    });
    for (const look of this.afterStep) look();
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
