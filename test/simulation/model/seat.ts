/** One machine on which a candidate runs: its clocks stay when its process goes, and the next one is a new candidate. */
import type { VirtualClock } from '../../support/election/virtual-clock.js';
import type { CandidatePlan, Fault, Plan } from '../plan.js';
import { CandidateProcess } from './candidate-process.js';
import type { Member } from './member.js';
import type { Observer } from './observer.js';
import type { World } from './world.js';

export class Seat {
  process: CandidateProcess | null = null;
  /** What is wrong on its ways to each member. */
  readonly faults: Fault[][];
  /** When its wall clock was last set back, and when it last slept: both at once stay unseen, as `LeaseTime` says. */
  setBackAt = -Infinity;
  setAheadAt = -Infinity;
  sleptAt = -Infinity;
  private readonly name: string;
  private readonly rate: number;
  private clock: VirtualClock;
  private starts = 0;

  constructor(
    private readonly world: World,
    private readonly plan: Plan,
    private readonly members: readonly Member[],
    private readonly observer: Observer,
    index: number,
    { rate }: CandidatePlan,
  ) {
    this.name = String.fromCodePoint(97 + index);
    this.rate = 1 + rate / 1e6;
    this.clock = world.clock.fork(0, this.rate);
    this.faults = members.map(() => []);
  }

  /** Starts a process, unless one runs. */
  start(): void {
    if (this.process !== null) return;
    this.starts += 1;
    const name = this.starts === 1 ? this.name : `${this.name}${this.starts}`;
    // Its wall clock is where the last process left it.
    this.clock = this.clock.fork(0, this.rate);
    this.world.note?.(name, 'starts');
    this.process = new CandidateProcess(
      this.world,
      this.plan,
      this.members,
      this.faults,
      this.clock,
      name,
      this.observer,
    );
    this.observer.began(this.process);
    this.process.candidate.start();
  }

  /** The process is gone from one instant to the next. */
  crash(): void {
    const { process } = this;
    if (process === null) return;
    this.process = null;
    this.observer.gone(process);
    process.end();
  }

  /** Ends the process as it wants to; `done` is called when it has. */
  stop(done: () => void): void {
    const { process } = this;
    if (process === null || process.isStopping || process.clock.isHeld) return;
    process.stop(() => {
      if (this.process === process) this.crash();
      done();
    });
  }
}
