import { setImmediate } from 'node:timers';
import type { CancelTimer, Clock } from '../../../lib/election/clock.interface.js';

interface Timer {
  readonly owner: VirtualClock;
  readonly callback: () => void;
  dueAt: number;
}

/** More timers than this in one `advance` are a loop that does not end. */
const RUNAWAY_TIMERS = 2_000_000;

/** What all machines of one test share: the true time, and the timers that wait for it. */
class Timeline {
  nowMs = 0;
  readonly timers = new Set<Timer>();
  readonly afterStep = new Set<() => void>();
  private advancing = false;

  async advance(ms: number): Promise<void> {
    if (this.advancing) throw new Error('Time is advanced already: await it first.');
    this.advancing = true;
    try {
      const until = this.nowMs + ms;
      await this.settle();
      let fired = 0;
      for (let next = this.nextDue(until); next !== null; next = this.nextDue(until)) {
        fired += 1;
        if (fired > RUNAWAY_TIMERS) throw new Error(`Timers do not come to rest at ${this.nowMs}.`);
        this.timers.delete(next);
        this.nowMs = Math.max(this.nowMs, next.dueAt);
        next.callback();
        await this.settle();
      }
      this.nowMs = until;
      await this.settle();
    } finally {
      this.advancing = false;
    }
  }

  /** Lets every promise that can go on do so. No time passes. */
  private async settle(): Promise<void> {
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
    for (const look of this.afterStep) look();
  }

  /** Of timers that are due at the same time, the one set first. */
  private nextDue(until: number): Timer | null {
    let next: Timer | null = null;
    for (const timer of this.timers) {
      if (timer.owner.isHeld || timer.dueAt > until) continue;
      if (next === null || timer.dueAt < next.dueAt) next = timer;
    }
    return next;
  }
}

/**
 * The clocks of one machine, which move on command only. `fork()` makes another machine in the same true time, whose
 * clocks can be wrong, and which can stand still, while the others go on.
 */
export class VirtualClock implements Clock {
  private wallOffsetMs: number;
  private monotonicOffsetMs = 0;
  private frozenAt: number | null = null;
  private holds = 0;
  private asleepSince = 0;
  private readonly waking = new Set<() => void>();

  constructor(
    startAt = Date.UTC(2030, 0, 1),
    private readonly timeline = new Timeline(),
  ) {
    this.wallOffsetMs = startAt;
  }

  /** Another machine, whose wall clock is that far ahead of this one's. */
  fork(wallAheadMs = 0): VirtualClock {
    return new VirtualClock(this.wallOffsetMs + wallAheadMs, this.timeline);
  }

  monotonicMs(): number {
    return this.frozenAt ?? this.timeline.nowMs + this.monotonicOffsetMs;
  }

  /** Whole milliseconds, as `Date.now()` gives. */
  wallMs(): number {
    return Math.floor(this.timeline.nowMs + this.wallOffsetMs);
  }

  setTimer(callback: () => void, delayMs: number): CancelTimer {
    const timer = { owner: this, callback, dueAt: this.timeline.nowMs + Math.max(0, delayMs) };
    this.timeline.timers.add(timer);
    return () => void this.timeline.timers.delete(timer);
  }

  /** True time since the test began; no candidate can read it. */
  get elapsedMs(): number {
    return this.timeline.nowMs;
  }

  /** Timers of this machine that are still to fire. */
  get pendingTimers(): number {
    return [...this.timeline.timers].filter(({ owner }) => owner === this).length;
  }

  get isHeld(): boolean {
    return this.holds > 0;
  }

  /** Lets time pass for all machines: fires what is due in order, and lets promises settle in between. */
  advance(ms: number): Promise<void> {
    return this.timeline.advance(ms);
  }

  /** Calls `look` after each step: whenever a timer has fired or time has passed. */
  afterEachStep(look: () => void): void {
    this.timeline.afterStep.add(look);
  }

  /** What `monotonicMs()` reads stands still from now on; timers go on. */
  freezeMonotonic(): void {
    this.frozenAt ??= this.monotonicMs();
  }

  thawMonotonic(): void {
    if (this.frozenAt === null) return;
    this.monotonicOffsetMs = this.frozenAt - this.timeline.nowMs;
    this.frozenAt = null;
  }

  /** Somebody sets the wall clock. */
  stepWall(ms: number): void {
    this.wallOffsetMs += ms;
  }

  /** The process stops, as by SIGSTOP: its clocks go on, but no timer fires and no answer arrives until `resume`. */
  pause(): void {
    this.holds += 1;
  }

  resume(): void {
    this.holds -= 1;
    if (this.isHeld) return;
    for (const wake of this.waking) wake();
    this.waking.clear();
  }

  /** Resolves when the process runs, which may be now. */
  async awake(): Promise<void> {
    while (this.isHeld) {
      await new Promise<void>((resolve) => {
        this.waking.add(resolve);
      });
    }
  }

  /** The loop is blocked: time passes and no timer fires; then all that came due are fired. */
  async block(ms: number): Promise<void> {
    this.pause();
    await this.advance(ms);
    this.resume();
    await this.advance(0);
  }

  /** The machine sleeps: the wall clock goes on, the monotonic clock and with it the timers stand still. */
  async suspend(ms: number): Promise<void> {
    this.fallAsleep();
    await this.advance(ms);
    this.wakeUp();
    await this.advance(0);
  }

  /** Begins what `suspend` does, for a test that lets time pass itself. */
  fallAsleep(): void {
    this.asleepSince = this.timeline.nowMs;
    this.pause();
    this.freezeMonotonic();
  }

  wakeUp(): void {
    this.thawMonotonic();
    for (const timer of this.timeline.timers) {
      if (timer.owner === this) timer.dueAt += this.timeline.nowMs - this.asleepSince;
    }
    this.resume();
  }
}
