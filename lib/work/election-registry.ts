import type { Candidate } from '../election/candidate.js';
import type { ElectionConfig } from '../election/election-config.interface.js';
import type { ElectionEvents } from '../election/election-events.interface.js';
import type { Leadership } from '../election/leadership.js';
import type { LeaderWork } from './leader-work.js';
import { NotLeaderException } from './not-leader.exception.js';
import { UnknownElectionError } from './work.errors.js';

/** Shown by Nest when a guarded class is used without the module, so it says what to do. */
export const ELECTION_REGISTRY = Symbol.for(
  'import LeaderElectionModule.forRoot() in the root module',
);

/** One election of this application: the candidate and the work that depends on it. */
export class Election {
  constructor(
    readonly config: ElectionConfig,
    readonly candidate: Candidate,
    readonly work: LeaderWork,
    private readonly events: ElectionEvents,
  ) {}

  get name(): string {
    return this.config.election;
  }

  /**
   * The leadership that new work may begin under. Inside a run it is that run's own, and null once that is over: work
   * never passes from one leadership to the next.
   */
  get admitted(): Leadership | null {
    const pinned = this.work.pinned;
    if (pinned !== undefined) return pinned.isValid ? pinned : null;
    return this.candidate.leadership;
  }

  /** Counts a call that is not run and says nothing. */
  skip(handler: string | null): void {
    this.events.skipped({ election: this.name, handler, outcome: 'skip' });
  }

  /** Counts a call that is not run, and makes the exception that says so. */
  refuse(handler: string | null): NotLeaderException {
    this.events.skipped({ election: this.name, handler, outcome: 'throw' });
    const { pinned } = this.work;
    return new NotLeaderException({
      election: this.name,
      leader: this.candidate.current.leader,
      retryAfterSeconds: this.retryAfterSeconds,
      ...(pinned === undefined ? {} : { endedEpoch: pinned.epoch }),
    });
  }

  /** By then the present lease has ended or been renewed. */
  get retryAfterSeconds(): number {
    return Math.ceil(this.config.leaseTtlMs / 1000);
  }
}

/** The elections of one application, by name. */
export class ElectionRegistry {
  private readonly elections = new Map<string, Election>();
  private started = false;
  private stopping: Promise<void> | null = null;

  constructor(readonly defaultName: string) {}

  add(election: Election): void {
    this.elections.set(election.name, election);
    // A module that is loaded later joins at once.
    if (this.started && this.stopping === null) election.candidate.start();
  }

  find(name?: string): Election | undefined {
    return this.elections.get(name ?? this.defaultName);
  }

  get(name?: string): Election {
    const election = this.find(name);
    if (election !== undefined) return election;
    throw new UnknownElectionError([name ?? this.defaultName], ['this call'], this.names());
  }

  names(): readonly string[] {
    return [...this.elections.keys()];
  }

  start(): void {
    this.started = true;
    for (const { candidate } of this.elections.values()) candidate.start();
  }

  /** Drains and releases all. Never rejects; always the same promise. */
  stop(): Promise<void> {
    this.stopping ??= Promise.all(
      [...this.elections.values()].map(({ candidate }) => candidate.stop()),
    ).then(() => undefined);
    return this.stopping;
  }

  get isStopped(): boolean {
    return this.stopping !== null;
  }
}
