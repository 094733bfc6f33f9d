import { Observable } from 'rxjs';

import type { Leadership } from './election/leadership.js';
import type { ElectionState, LeadershipChange } from './election/election-events.interface.js';
import type { LeaderInfo } from './election/lease-store.interface.js';
import type { Election } from './work/election-registry.js';
import type { RunContext } from './work/run-context.js';
import { NoLeaderRunError } from './work/work.errors.js';

/**
 * One leadership of this instance, as leader-only work sees it. It never turns into a later one.
 *
 * @publicApi
 */
export interface CurrentLeadership {
  readonly election: string;
  readonly nodeId: string;
  /** The fencing token: hand it to whatever stores your data, and have that refuse a lower one than it saw. */
  readonly epoch: number;
  /** Aborts, with a `LeadershipLostError` as its reason, when this leadership ends or its drain time is up. */
  readonly signal: AbortSignal;
  /** Whether it still stands, by this instance's clock, at the moment of reading. */
  readonly isCurrent: boolean;
}

/**
 * Where this instance stands in one election. Inject it as `LeaderService` for the election of `forRoot`, or with
 * `@InjectLeader(name)` for one of `forFeature`.
 *
 * @publicApi
 */
export class LeaderService {
  /** Made at first use: few of many elections are listened to. */
  private changes: Observable<LeadershipChange> | null = null;

  /** @internal */
  constructor(
    private readonly election: Election,
    private readonly context: RunContext,
  ) {
    // So it is where an application lists this class among its own providers.
    if ((election as Election | undefined) === undefined) {
      throw new TypeError(
        'LeaderService is not to be listed in `providers`: import LeaderElectionModule.forRoot() in the root module, ' +
          'and inject it.',
      );
    }
  }

  /**
   * Emits the present value on subscribe, then each change once; completes on shutdown. When it emits, `state` and
   * `isLeader` have changed already.
   */
  get leadership$(): Observable<LeadershipChange> {
    this.changes ??= new Observable((subscriber) => {
      const { candidate } = this.election;
      const tell = (change: LeadershipChange) => {
        subscriber.next(change);
        if (change.state === 'stopped') subscriber.complete();
      };
      // What follows from it must not belong to the run that happens to subscribe.
      this.context.outside(() => candidate.noticeExpiry());
      // Listens first: the subscriber may cause a change when it is told the present value.
      const stopListening = candidate.onChange(tell);
      tell(candidate.current);
      return stopListening;
    });
    return this.changes;
  }

  /**
   * Whether this instance leads, by its clock, at this moment: false as soon as the lease may have ended, also after a
   * pause that no timer saw. False while draining. Inside a leader-only run it speaks of the leadership that the run
   * began under, which also counts while that drains. Costs no I/O.
   */
  get isLeader(): boolean {
    return this.election.admitted !== null;
  }

  /**
   * The fencing token, null when not leading. Inside a leader-only run it is always that of the leadership the run
   * began under, also after that has ended.
   */
  get epoch(): number | null {
    const { pinned } = this.election.work;
    return pinned?.epoch ?? this.election.candidate.leadership?.epoch ?? null;
  }

  get nodeId(): string {
    return this.election.config.by.nodeId;
  }

  /** See {@link ElectionState}. It speaks of this instance, inside a run too. */
  get state(): ElectionState {
    return this.election.candidate.current.state;
  }

  /** Who leads, as last seen; null when unknown. Asks nobody. */
  get leader(): LeaderInfo | null {
    return this.election.candidate.current.leader;
  }

  /**
   * The leadership that the running work belongs to. Its `signal` is up to date, also after a blocked event loop.
   *
   * @throws NoLeaderRunError outside of a leader-only run
   */
  current(): CurrentLeadership {
    const { pinned } = this.election.work;
    if (pinned === undefined) throw new NoLeaderRunError(this.election.name);
    if (!pinned.isValid) this.context.outside(() => this.election.candidate.noticeExpiry());
    return this.describe(pinned);
  }

  /** Whether `epoch` is the token of a leadership that still stands here. */
  isCurrent(epoch: number): boolean {
    return this.election.admitted?.epoch === epoch;
  }

  /**
   * Runs `work` if this instance leads, as `@OnlyLeader()` does, and returns what it returns; otherwise undefined.
   * For callbacks that no decorator reaches, such as jobs added to the `SchedulerRegistry`.
   */
  runIfLeader<T>(work: (leadership: CurrentLeadership) => T): T | undefined {
    const leadership = this.election.admitted;
    if (leadership !== null) {
      return this.election.work.run(leadership, null, () => work(this.describe(leadership)));
    }
    this.election.skip(null);
    return undefined;
  }

  /**
   * Resolves as soon as this instance leads. That may be over when the caller goes on: look at `isCurrent`, or begin
   * the work with `runIfLeader`. The election begins when every module is initialised, so awaiting this in
   * `onModuleInit` would wait for ever.
   *
   * @throws the reason of `signal` when it aborts first
   * @throws Error with `campaign: false`
   * @throws NotLeaderException when the application shuts down first, or in a run whose leadership is over
   */
  whenLeader(options: { signal?: AbortSignal } = {}): Promise<CurrentLeadership> {
    const { signal } = options;
    const { admitted, candidate, work } = this.election;
    if (signal?.aborted === true) return Promise.reject(toError(signal.reason));
    if (admitted !== null) return Promise.resolve(this.describe(admitted));
    if (!this.election.config.campaign) {
      return Promise.reject(
        new Error(
          `whenLeader(): election "${this.election.name}" has campaign: false, so it never leads here.`,
        ),
      );
    }
    if (work.pinned !== undefined || candidate.current.state === 'stopped') {
      return Promise.reject(this.election.refuse(null));
    }
    return new Promise((resolve, reject) => {
      const stop = () => {
        stopListening();
        signal?.removeEventListener('abort', aborted);
      };
      const aborted = () => {
        stop();
        reject(toError(signal?.reason));
      };
      const stopListening = candidate.onChange(({ state }) => {
        const { leadership } = candidate;
        if (leadership === null && state !== 'stopped') return;
        stop();
        if (leadership !== null) resolve(this.describe(leadership));
        else reject(this.election.refuse(null));
      });
      signal?.addEventListener('abort', aborted, { once: true });
    });
  }

  /**
   * Asks the store now. True when it confirmed that this instance still leads; false when it does not, or when the
   * store gave no answer within `commandTimeoutMs`. Inside a run it speaks of the run's leadership.
   */
  async verify(): Promise<boolean> {
    const { candidate, admitted } = this.election;
    if (admitted === null) return false;
    const confirmed = await this.context.outside(() => candidate.verify());
    return confirmed && admitted.isValid;
  }

  /**
   * Gives leadership up: admits no new work, waits for running work up to `drainTimeoutMs`, releases the lease. Stays
   * out of the contest for `cooldownMs` (default: `leaseTtlMs`), so that another instance takes over; also when it was
   * not leading. Resolves when the lease is free, or left to run out. Called inside a leader-only run, which it cannot
   * wait for, it resolves at once.
   *
   * @throws RangeError when `cooldownMs` is not a number of milliseconds from 0
   */
  async stepDown(options: { cooldownMs?: number } = {}): Promise<void> {
    const { cooldownMs = this.election.config.leaseTtlMs } = options;
    if (!Number.isFinite(cooldownMs) || cooldownMs < 0) {
      throw new RangeError(
        `stepDown(): expected \`cooldownMs\` to be a number of milliseconds from 0, got \`${cooldownMs}\`.`,
      );
    }
    const done = this.context.outside(() => this.election.candidate.stepDown(cooldownMs));
    // It never rejects, so that nobody needs to wait for it.
    if (this.election.work.pinned === undefined) await done;
  }

  private describe(leadership: Leadership): CurrentLeadership {
    return {
      election: this.election.name,
      nodeId: this.nodeId,
      epoch: leadership.epoch,
      get signal() {
        return leadership.signal;
      },
      get isCurrent() {
        return leadership.isValid;
      },
    };
  }
}

function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
