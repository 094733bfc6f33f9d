/** Records what a node does as a history, for `checkHistory`. */
import type { ElectionListener } from '../election/election-events.interface.js';
import type { LeaderService } from '../leader.service.js';
import { BeliefSampler } from './belief-sampler.js';
import type { HistoryEvent } from './history.js';

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
 * Two processes may send them to the test that started both; the test adds `gone` for one that it killed.
 *
 * @param node how the history calls this node
 * @param record called with each event, right when it happens; an error that it throws is logged
 * @param now the clock of the history, in milliseconds: one for all nodes, finer than a millisecond where it is real
 * @example
 * LeaderElectionModule.forRoot({ redis, events: historyRecorder('a', (event) => process.send?.(event)) });
 *
 * @publicApi
 */
export function historyRecorder(
  node: string,
  record: (event: HistoryEvent) => void,
  now: () => number = sharedNowMs,
): ElectionListener {
  const unreleased = (): void => record({ kind: 'unreleased', node, at: now() });
  return {
    granted: ({ epoch }) => record({ kind: 'granted', node, at: now(), epoch }),
    ended: ({ epoch, reason }) => record({ kind: 'ended', node, at: now(), epoch, reason }),
    changed: ({ change }) => record({ kind: 'changed', node, at: now(), change }),
    runStarted: ({ epoch }) => record({ kind: 'run', node, at: now(), epoch }),
    drainTimedOut: unreleased,
    storeFailed: ({ operation }) => {
      if (operation === 'release') unreleased();
    },
  };
}

/**
 * Reads `isLeader` each millisecond and at each change, and tells `record` for how long it was true. That finds what
 * grants and ends alone cannot show: a node that still says that it leads, while another one does. Keeps no process
 * alive, and ends with `leadership$`.
 *
 * @param node how the history calls this node
 * @param record called with each belief, a long one in pieces of 50 ms, so that little is lost when a process is killed
 * @param now the clock of the history, in milliseconds
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
  now: () => number = sharedNowMs,
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
