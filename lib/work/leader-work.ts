import { isPromise } from 'node:util/types';

import { defer, finalize, isObservable, Observable } from 'rxjs';

import type { ElectionEvents } from '../election/election-events.interface.js';
import type { Leadership } from '../election/leadership.js';
import type { LeaseTime } from '../election/lease-time.js';
import { NotLeaderException } from './not-leader.exception.js';
import type { RunContext } from './run-context.js';

/** What the elections of one application share. */
export interface LeaderWorkParts {
  readonly context: RunContext;
  readonly events: ElectionEvents;
  readonly time: LeaseTime;
}

/** The runs in flight under one leadership. */
interface Flight {
  runs: number;
  readonly whenIdle: (() => void)[];
}

/**
 * The leader-only runs of one election: what is in flight under which leadership, so that shutdown can wait for it
 * (rule 21), and which leadership the present code belongs to.
 */
export class LeaderWork {
  /** Mostly of one leadership, but a run may outlive its own. */
  private flights: Map<Leadership, Flight> | null = null;

  constructor(
    private readonly election: string,
    private readonly parts: LeaderWorkParts,
  ) {}

  /** The leadership that the present run began under, over or not; undefined outside of a run. */
  get pinned(): Leadership | undefined {
    return this.parts.context.pinned(this);
  }

  idle(leadership: Leadership): Promise<void> {
    const flight = this.flights?.get(leadership);
    if (flight === undefined) return Promise.resolve();
    return new Promise((resolve) => flight.whenIdle.push(resolve));
  }

  /**
   * Runs `work` under this leadership. What it returns comes back as it is: a value at once, a promise that is in
   * flight until it settles, an Observable (also one that is promised) whose every subscription is a run of its own
   * and fails when the leadership ends. A lazy thenable (a query builder) is started here and becomes a promise, or it
   * would run outside.
   */
  run<T>(leadership: Leadership, handler: string | null, work: () => T): T {
    const ended = this.began(leadership, handler);
    let result: unknown;
    try {
      result = this.parts.context.enter(this, leadership, () => started(work()));
    } catch (error) {
      ended(true);
      throw error;
    }
    const passOn = (value: unknown) => {
      ended(false);
      return isObservable(value) ? this.guarded(leadership, handler, value) : value;
    };
    if (!isPromise(result)) return passOn(result) as T;
    // The caller gets a promise that settles alike, and with it the duty to handle its rejection. The type is kept,
    // but for lazy thenables, which settle to the same value.
    return result.then(passOn, (error: unknown) => {
      ended(true);
      throw error;
    }) as T;
  }

  private guarded(
    leadership: Leadership,
    handler: string | null,
    source: Observable<unknown>,
  ): Observable<unknown> {
    const { election } = this;
    const { context } = this.parts;
    const { epoch } = leadership;
    const outlived = () => new NotLeaderException({ election, leader: null, endedEpoch: epoch });
    return defer(() => {
      if (!leadership.isValid) throw outlived();
      const ended = this.began(leadership, handler);
      let failed = false;
      return new Observable<unknown>((subscriber) => {
        const fail = (error: unknown) => {
          failed = true;
          subscriber.error(error);
        };
        // A stream that has no end of its own must not outlive its leadership.
        const { signal } = leadership;
        const lost = () => fail(signal.reason);
        signal.addEventListener('abort', lost);
        subscriber.add(() => signal.removeEventListener('abort', lost));
        // After a blocked loop a value may come before the event that the leadership has ended.
        const next = (value: unknown) =>
          leadership.isValid ? subscriber.next(value) : fail(outlived());
        const complete = () => subscriber.complete();
        return context.enter(this, leadership, () =>
          source.subscribe({ next, error: fail, complete }),
        );
      }).pipe(finalize(() => ended(failed)));
    });
  }

  /** Counts a run in, and returns how to count it out. */
  private began(leadership: Leadership, handler: string | null): (failed: boolean) => void {
    const { election } = this;
    const { events, time } = this.parts;
    const { epoch } = leadership;
    const startedAt = time.now();
    this.enter(leadership);
    events.runStarted({ election, epoch, handler });
    return (failed) => {
      this.leave(leadership);
      events.runEnded({
        election,
        epoch,
        handler,
        durationMs: time.now() - startedAt,
        failed,
        outlived: !leadership.isValid,
      });
    };
  }

  private enter(leadership: Leadership): void {
    this.flights ??= new Map();
    const flight = this.flights.get(leadership);
    if (flight === undefined) this.flights.set(leadership, { runs: 1, whenIdle: [] });
    else flight.runs += 1;
  }

  private leave(leadership: Leadership): void {
    const flight = this.flights?.get(leadership);
    if (flight === undefined) return;
    flight.runs -= 1;
    if (flight.runs > 0) return;
    this.flights?.delete(leadership);
    for (const resolve of flight.whenIdle) resolve();
  }
}

/** Starts a lazy thenable inside the run. */
function started(result: unknown): unknown {
  return !isPromise(result) && isThenable(result) ? Promise.resolve(result) : result;
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    'then' in value &&
    typeof value.then === 'function'
  );
}
