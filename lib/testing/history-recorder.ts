/** Records what a node does as a history, for `checkHistory`. */
import type { ElectionListener } from '../election/election-events.interface.js';
import type { LeaderService } from '../leader.service.js';
import { BeliefSampler } from './belief-sampler.js';
import type { HistoryEvent } from './history.js';

/** The clock of a history, in milliseconds: one for all nodes, finer than a millisecond where it is real. */
type NowMs = () => number;

/** @publicApi */
export interface HistoryRecorderOptions {
  /** The election that is recorded; the first that it hears of when left out, and then an error for any other. */
  readonly election?: string | undefined;
  /** `sharedNowMs` when left out. */
  readonly now?: NowMs | undefined;
}

/** How often `recordBelief` looks, in milliseconds: a timer cannot be quicker. */
const LOOK_EVERY_MS = 1;

/**
 * The monotonic clock that all processes of one machine share, in milliseconds. Its zero is arbitrary.
 *
 * @publicApi
 */
export function sharedNowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/**
 * A listener for the option `events` that tells `record` of each grant, end, leader-only run and change of this node.
 * Two processes may send them to the test that started both; the test adds `gone` for one that it killed. A history is
 * that of one election: where there are several, name one.
 *
 * @param node how the history calls this process; no other one may have that name, as process 1 of two containers would
 * @param record called with each event, right when it happens; an error that it throws is logged
 * @example
 * LeaderElectionModule.forRoot({ redis, events: historyRecorder('a', (event) => process.send?.(event)) });
 *
 * @publicApi
 */
export function historyRecorder(
  node: string,
  record: (event: HistoryEvent) => void,
  { election, now = sharedNowMs }: HistoryRecorderOptions = {},
): ElectionListener {
  let only = election;
  const tell = (heardOf: string, event: HistoryEvent): void => {
    only ??= heardOf;
    if (heardOf === only) return record(event);
    if (election !== undefined) return undefined;
    throw new Error(
      `historyRecorder hears of the elections ${JSON.stringify(only)} and ${JSON.stringify(heardOf)}: ` +
        'name one with { election }.',
    );
  };
  const unreleased = (of: { election: string }): void =>
    tell(of.election, { kind: 'unreleased', node, at: now() });
  return {
    granted: (of) => tell(of.election, { kind: 'granted', node, at: now(), epoch: of.epoch }),
    ended: (of) => {
      const { epoch, reason } = of;
      tell(of.election, { kind: 'ended', node, at: now(), epoch, reason });
    },
    changed: (of) => tell(of.election, { kind: 'changed', node, at: now(), change: of.change }),
    runStarted: (of) => tell(of.election, { kind: 'run', node, at: now(), epoch: of.epoch }),
    drainTimedOut: unreleased,
    storeFailed: (of) => {
      if (of.operation === 'release') unreleased(of);
    },
  };
}

/**
 * Reads `isLeader` each millisecond and at each change, and tells `record` for how long it was true. That finds what
 * grants and ends alone cannot show: a node that still says that it leads, while another one does. Keeps no process
 * alive, and ends with `leadership$`.
 *
 * @param node how the history calls this process, as for `historyRecorder`
 * @param leader the one of the election that is recorded
 * @param record called with each belief, a long one in pieces of 50 ms, so that little is lost when a process is killed
 * @returns how to stop it sooner
 * @example
 * recordBelief('a', app.get(LeaderService), (event) => process.send?.(event));
 *
 * @publicApi
 */
export function recordBelief(
  node: string,
  leader: Pick<LeaderService, 'isLeader' | 'epoch' | 'leadership$'>,
  record: (event: HistoryEvent) => void,
  { now = sharedNowMs }: Pick<HistoryRecorderOptions, 'now'> = {},
): () => void {
  const sampler = new BeliefSampler(node, leader, now, record);
  const timer = setInterval(() => sampler.look(), LOOK_EVERY_MS).unref();
  const stopLooking = () => clearInterval(timer);
  const subscription = leader.leadership$.subscribe({
    next: () => sampler.look(),
    complete: stopLooking,
  });
  return () => {
    stopLooking();
    subscription.unsubscribe();
    sampler.end();
  };
}
