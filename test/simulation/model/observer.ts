/** Sees who leads, exactly and without being noticed, and writes the history that the checker judges. */
import type { ElectionEvents } from '../../../lib/election/election-events.interface.js';
import type { HistoryEvent } from '../../../lib/testing/history.js';
import type { CandidateProcess } from './candidate-process.js';
import type { World } from './world.js';

/** A stretch in which one process said that it leads. */
interface OpenBelief {
  readonly epoch: number;
  readonly from: number;
  seenAt: number;
  /** When its own clock ends it, in true time, unless something changes before. */
  endsAt: number;
}

/** What a `LeaseTime` may leave uncounted, with what is left of fractions. */
const UNCOUNTED_MS = 6;

/** The fields of a `LeaseTime` that a reading changes. */
interface ReadState {
  lastSkewMs: number;
  unseenMs: number;
}

export class Observer {
  readonly history: HistoryEvent[] = [];
  /** What was wrong at the moment it was seen, and is in no history. */
  readonly violations: { rule: string; message: string }[] = [];
  private readonly processes: CandidateProcess[] = [];
  private readonly open = new Map<CandidateProcess, OpenBelief>();

  constructor(private readonly world: World) {}

  began(process: CandidateProcess): void {
    this.processes.push(process);
  }

  /** It ends at this instant, and has said what it said up to now. */
  gone(process: CandidateProcess): void {
    const index = this.processes.indexOf(process);
    if (index >= 0) this.processes.splice(index, 1);
    this.close(process);
    this.history.push({ kind: 'gone', node: process.name, at: this.world.now });
    this.world.note?.(process.name, 'is gone');
  }

  /** After each step, whoever's it was. */
  look(): void {
    for (const process of this.processes) this.lookAt(process);
  }

  /** Whoever says now that it leads. */
  get leader(): CandidateProcess | null {
    this.look();
    for (const process of this.open.keys()) return process;
    return null;
  }

  /** Leader-only work, which asks as a job does: for that, the library reads its clock. */
  tryWork(process: CandidateProcess): void {
    const { leadership } = process.candidate;
    if (leadership === null) return;
    const { now } = this.world;
    this.history.push({ kind: 'run', node: process.name, at: now, epoch: leadership.epoch });
  }

  /** Closes what is open. The history is complete then. */
  finish(): void {
    this.look();
    for (const process of this.open.keys()) this.close(process);
  }

  eventsOf(process: CandidateProcess): ElectionEvents {
    const { world, history } = this;
    const { note } = world;
    const node = process.name;
    return {
      ...SILENT,
      granted: ({ epoch }) => {
        process.leavingSince = null;
        history.push({ kind: 'granted', node, at: world.now, epoch });
        note?.(node, `LEADS with epoch ${epoch}`);
      },
      ended: ({ epoch, reason }) => {
        if ((reason === 'released' || reason === 'shutdown') && process.cutsWorkShort) {
          this.wrong('work-ends-first', `${node} gave epoch ${epoch} up while work was running`);
        }
        history.push({ kind: 'ended', node, at: world.now, epoch, reason });
        note?.(node, `leads no more: ${reason}, epoch ${epoch}`);
      },
      ...(note === null
        ? {}
        : {
            waiting: ({ because, waitMs }) =>
              note(node, `waits ${Math.round(waitMs)} (${because})`),
            storeFailed: ({ operation, error }) =>
              note(node, `${operation} fails: ${String(error)}`),
            drainTimedOut: () => note(node, 'gives up waiting for its work'),
          }),
    };
  }

  private lookAt(process: CandidateProcess): void {
    // A reading of the library's time changes what it takes for elapsed; it must not be the observer's.
    const time = process.time as unknown as ReadState;
    const { lastSkewMs, unseenMs } = time;
    const { leadership } = process.candidate;
    if (leadership === null) {
      if (this.open.has(process)) this.close(process);
      return;
    }
    const leftMs = (leadership.deadline - process.time.now()) / process.clock.rate;
    time.lastSkewMs = lastSkewMs;
    time.unseenMs = unseenMs;
    const { now } = this.world;
    const { epoch } = leadership;
    if (epoch === process.refusedEpoch) {
      process.refusedEpoch = 0;
      this.wrong('refused-is-over', `${process.name} was told no, and leads with epoch ${epoch}`);
    }
    const belief = this.open.get(process);
    if (belief?.epoch === epoch) {
      if (now > belief.endsAt + UNCOUNTED_MS) this.returned(process, epoch);
      belief.seenAt = now;
      belief.endsAt = now + leftMs;
    } else {
      this.close(process);
      if (epoch <= process.believedEpoch) this.returned(process, epoch);
      process.believedEpoch = epoch;
      this.open.set(process, { epoch, from: now, seenAt: now, endsAt: now + leftMs });
    }
  }

  private returned({ name }: CandidateProcess, epoch: number): void {
    this.wrong('over-is-over', `${name} leads again with epoch ${epoch}, after that was over`);
  }

  /** Notes what no history tells. */
  wrong(rule: string, message: string): void {
    this.violations.push({ rule, message: `${message}, at ${this.world.now.toFixed(3)}` });
  }

  /** It said yes at the last look, and says no now: by its own clock in between, or by what happened now. */
  private close(process: CandidateProcess): void {
    const belief = this.open.get(process);
    if (belief === undefined) return;
    this.open.delete(process);
    const { epoch, from, seenAt, endsAt } = belief;
    const until = Math.max(seenAt, Math.min(endsAt, this.world.now));
    this.history.push({ kind: 'belief', node: process.name, at: from, until, epoch });
  }
}

const nothing = (): void => undefined;

const SILENT: ElectionEvents = {
  started: nothing,
  changed: nothing,
  granted: nothing,
  ended: nothing,
  waiting: nothing,
  renewed: nothing,
  storeFailed: nothing,
  storeAnswered: nothing,
  notice: nothing,
  loopBlocked: nothing,
  drainTimedOut: nothing,
  runStarted: nothing,
  runEnded: nothing,
  skipped: nothing,
};
