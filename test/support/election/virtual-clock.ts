import type { CancelTimer, Clock } from '../../../lib/election/clock.interface.js';
import { Timeline, type Timer, type TimerOwner } from './timeline.js';

// Jest's sandbox makes a global slow to reach.
const { floor } = Math;

/**
 * The clocks of one machine, which move on command only. `fork()` makes another machine in the same true time, whose
 * clocks can be wrong, and which can stand still, while the others go on.
 */
export class VirtualClock implements Clock, TimerOwner {
  pendingTimers = 0;
  private wallOffsetMs: number;
  private monotonicOffsetMs = 0;
  private frozenAt: number | null = null;
  private holds = 0;
  private asleepSince = 0;
  private parked: Timer[] = [];
  private readonly waking = new Set<() => void>();

  constructor(
    startAt = Date.UTC(2030, 0, 1),
    private readonly timeline = new Timeline(),
    /** How fast both clocks of this machine run; 1 is right. */
    readonly rate = 1,
  ) {
    this.wallOffsetMs = startAt;
  }

  /** Another machine, whose wall clock is that far ahead of this one's. */
  fork(wallAheadMs = 0, rate = 1): VirtualClock {
    const startAt = this.timeline.nowMs * (this.rate - rate) + this.wallOffsetMs;
    return new VirtualClock(startAt + wallAheadMs, this.timeline, rate);
  }

  monotonicMs(): number {
    return this.frozenAt ?? this.timeline.nowMs * this.rate + this.monotonicOffsetMs;
  }

  /** Whole milliseconds, as `Date.now()` gives. */
  wallMs(): number {
    return floor(this.timeline.nowMs * this.rate + this.wallOffsetMs);
  }

  setTimer(callback: () => void, delayMs: number): CancelTimer {
    return this.timeline.set(this, callback, delayMs / this.rate);
  }

  /** True time since the test began; no candidate can read it. */
  get elapsedMs(): number {
    return this.timeline.nowMs;
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
    this.monotonicOffsetMs = this.frozenAt - this.timeline.nowMs * this.rate;
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
    for (const timer of this.parked) this.timeline.add(timer);
    this.parked = [];
    for (const wake of this.waking) wake();
    this.waking.clear();
  }

  /** @internal For the timeline. */
  park(timer: Timer): void {
    this.parked.push(timer);
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
    const sleptMs = this.timeline.nowMs - this.asleepSince;
    for (const timer of this.parked) timer.dueAt += sleptMs;
    this.timeline.delay(this, sleptMs);
    this.resume();
  }
}
