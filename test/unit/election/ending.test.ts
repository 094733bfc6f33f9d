import { describe, expect, it } from '@jest/globals';
import type { LeadershipChange } from '../../../lib/election/election-events.interface.js';
import {
  Contest,
  DRAIN_MS,
  PROBE_MS,
  RENEW_MS,
  RETRY_MS,
  TIMEOUT_MS,
  TTL_MS,
  VALID_MS,
} from '../../support/election/candidates.js';

/** What `promise` has come to so far. */
function watched(promise: Promise<unknown>): { settled: boolean; failed: boolean } {
  const seen = { settled: false, failed: false };
  promise.then(
    () => (seen.settled = true),
    () => {
      seen.settled = true;
      seen.failed = true;
    },
  );
  return seen;
}

const states = (changes: readonly LeadershipChange[]): string[] =>
  changes.map(({ state }) => state);

describe('draining', () => {
  it('rule 21: admits no new work, renews while work runs, and releases when it has ended', async () => {
    const contest = Contest.of(2, { config: { drainTimeoutMs: 60_000 } });
    await contest.advance(0);
    const [a, b] = [contest.node(0), contest.node(1)];
    const { leadership } = a.candidate;
    const endRun = a.runs.begin();
    const stopped = watched(a.candidate.stop());

    expect(a.candidate.leadership).toBeNull();
    expect(a.candidate.current).toMatchObject({
      state: 'draining',
      isLeader: false,
      reason: 'shutdown',
    });
    await contest.advance(3 * TTL_MS);
    expect(leadership?.isValid).toBe(true);
    expect(leadership?.signal.aborted).toBe(false);
    expect(a.store.count('renew')).toBe(Math.floor((3 * TTL_MS) / RENEW_MS));
    expect(b.candidate.leadership).toBeNull();
    expect(stopped.settled).toBe(false);

    endRun();
    await contest.advance(0);
    expect(stopped).toEqual({ settled: true, failed: false });
    expect(contest.leader).toBe(b);
    await contest.close();
  });

  it('rule 21: work that settles within 100 ms of its abort does not cost a ttl', async () => {
    const contest = Contest.of(2);
    await contest.advance(0);
    const [a, b] = [contest.node(0), contest.node(1)];
    const endRun = a.runs.begin();
    const { signal } = a.candidate.leadership ?? {};
    void a.candidate.stop();

    await contest.advance(DRAIN_MS - 1);
    expect(signal?.aborted).toBe(false);
    await contest.advance(1);
    expect(signal?.reason).toMatchObject({ reason: 'shutdown' });
    await contest.advance(99);
    endRun();
    await contest.advance(0);
    expect(contest.leader).toBe(b);
    await contest.close();
  });

  it('rule 21: work that runs on keeps its lease until that runs out', async () => {
    const contest = Contest.of(2, { random: () => 1 });
    await contest.advance(0);
    const [a, b] = [contest.node(0), contest.node(1)];
    const endRun = a.runs.begin();
    const stopped = watched(a.candidate.stop());

    await contest.advance(DRAIN_MS + 100);
    expect(stopped.settled).toBe(true);
    endRun();
    expect(a.store.count('release')).toBe(0);
    const renewedAt = 3 * RENEW_MS;
    await contest.advance(renewedAt + TTL_MS - contest.clock.elapsedMs);
    expect(b.candidate.leadership).toBeNull();
    await contest.advance(PROBE_MS);
    expect(b.candidate.leadership).not.toBeNull();
    await contest.close();
  });

  it('a lease that is lost while it drains ends with the reason of the loss', async () => {
    const contest = Contest.of(1);
    await contest.advance(0);
    const { candidate, runs, changes, told, store } = contest.node(0);
    const endRun = runs.begin();
    const stopped = watched(candidate.stop());
    contest.deleteLease();

    await contest.advance(RENEW_MS);
    expect(states(changes)).toEqual(['candidate', 'leader', 'draining', 'stopped']);
    expect(changes.at(-1)?.reason).toBe('store-lost');
    expect(told.filter((event) => event.startsWith('ended'))).toEqual(['ended(store-lost)']);
    // The application still waits for its work.
    expect(stopped.settled).toBe(false);
    endRun();
    await contest.advance(0);
    expect(stopped.settled).toBe(true);
    expect(store.count('release')).toBe(0);
    await contest.close();
  });

  it('O-05: a cooldown holds even when the lease is lost while it drains', async () => {
    const contest = Contest.of(1, { random: () => 1 });
    await contest.advance(0);
    const { candidate, runs, store } = contest.node(0);
    runs.begin();
    void candidate.stepDown(60_000);
    contest.deleteLease();

    await contest.advance(RENEW_MS + 59_999);
    expect(store.count('acquire')).toBe(1);
    await contest.untilLed(TTL_MS);
    await contest.close();
  });
});

describe('stepping down', () => {
  it('O-05: a cooldown that is asked for before the start holds from the start', async () => {
    const contest = Contest.of(0);
    const { candidate, store } = contest.add();
    await candidate.stepDown(30_000);
    candidate.start();
    await contest.advance(29_999);
    expect(store.count('acquire')).toBe(0);
    await contest.untilLed(TTL_MS);
    await contest.close();
  });

  it('O-05: releases at once and does not win again within the cooldown', async () => {
    const contest = Contest.of(2);
    await contest.advance(1000);
    const [a, b] = [contest.node(0), contest.node(1)];
    const done = watched(a.candidate.stepDown(30_000));
    await contest.advance(0);

    expect(done.settled).toBe(true);
    expect(contest.leader).toBe(b);
    void b.candidate.stop();
    await contest.advance(29_999);
    expect(a.candidate.leadership).toBeNull();
    expect(a.store.count('acquire')).toBe(1);
    await contest.advance(PROBE_MS);
    expect(a.candidate.leadership).not.toBeNull();
    expect(states(a.changes).slice(0, 5)).toEqual([
      'candidate',
      'leader',
      'draining',
      'candidate',
      'follower',
    ]);
    await contest.close();
  });

  it('O-05: a follower that steps down stays out of the contest too', async () => {
    const contest = Contest.of(2);
    await contest.advance(1000);
    const b = contest.node(1);
    await b.candidate.stepDown(60_000);
    await b.candidate.stepDown(10);
    void contest.node(0).candidate.stop();

    await contest.advance(59_999);
    expect(b.candidate.leadership).toBeNull();
    await contest.advance(PROBE_MS);
    expect(b.candidate.leadership).not.toBeNull();
    await contest.close();
  });

  it.each([
    { when: 'in time', replyMs: 500 },
    { when: 'too late', replyMs: TIMEOUT_MS + 200 },
  ])('O-05: a grant that was under way and arrives $when is given back', async ({ replyMs }) => {
    const contest = new Contest();
    const { candidate, store } = contest.join();
    store.next('acquire', { replyMs });
    await contest.advance(100);
    expect(contest.stored.lease).not.toBeNull();
    await candidate.stepDown(60_000);

    await contest.advance(replyMs);
    expect(contest.stored.lease).toBeNull();
    await contest.advance(59_000 - replyMs);
    expect(contest.history.beliefs).toHaveLength(0);
    await contest.untilLed(2 * PROBE_MS + 1000);
    await contest.close();
  });

  it('then stopping waits for the release', async () => {
    const contest = Contest.of(1);
    await contest.advance(0);
    const { candidate, runs, changes } = contest.node(0);
    const endRun = runs.begin();
    const steppedDown = watched(candidate.stepDown(0));
    const stopped = watched(candidate.stop());
    await contest.advance(5000);
    expect([steppedDown.settled, stopped.settled]).toEqual([false, false]);

    endRun();
    await contest.advance(0);
    expect([steppedDown.settled, stopped.settled]).toEqual([true, true]);
    expect(contest.stored.lease).toBeNull();
    expect(states(changes)).toEqual(['candidate', 'leader', 'draining', 'stopped']);
    await contest.close();
  });

  it('after stopping does nothing', async () => {
    const contest = Contest.of(1);
    await contest.advance(0);
    const { candidate, changes, store } = contest.node(0);
    const stopped = candidate.stop();
    const done = watched(Promise.all([candidate.stepDown(0), stopped]));
    await contest.advance(0);
    expect(done).toEqual({ settled: true, failed: false });
    await candidate.stepDown(1000);
    expect(states(changes)).toEqual(['candidate', 'leader', 'draining', 'stopped']);
    expect(store.count('release')).toBe(1);
    await contest.close();
  });
});

describe('giving up the lease', () => {
  it.each([
    { how: 'fails', fault: { fail: 'before' } },
    { how: 'times out', fault: { lose: 'request' } },
    { how: 'throws', fault: { fail: 'throw' } },
  ] as const)(
    'L-08: a release that $how is tried again, and the key is gone',
    async ({ fault }) => {
      const contest = Contest.of(1);
      await contest.advance(0);
      const { candidate, store } = contest.node(0);
      store.next('release', fault);
      const stopped = watched(candidate.stop());

      await contest.advance(TIMEOUT_MS + 1 + RETRY_MS);
      expect(stopped).toEqual({ settled: true, failed: false });
      expect(store.count('release')).toBe(2);
      expect(contest.stored.lease).toBeNull();
      await contest.close();
    },
  );

  it.each([
    { how: 'fails', fault: { fail: 'before' }, boundMs: 1000 + RETRY_MS },
    { how: 'hangs', fault: { lose: 'request' }, boundMs: 1000 + RETRY_MS + 2 * (TIMEOUT_MS + 1) },
  ] as const)(
    'L-08: where every release $how, stopping ends within a bound',
    async ({ fault, boundMs }) => {
      const contest = Contest.of(2);
      await contest.advance(0);
      const { candidate, store } = contest.node(0);
      store.cut(fault);
      const stopped = watched(candidate.stop());

      await contest.advance(900);
      expect(stopped.settled).toBe(false);
      await contest.advance(boundMs - 900);
      expect(stopped).toEqual({ settled: true, failed: false });
      expect(store.count('release')).toBeGreaterThanOrEqual(2);
      await contest.advance(TTL_MS);
      expect(contest.leader).toBe(contest.node(1));
      await contest.close();
    },
  );

  it('L-08: gives up early where the time to drain is shorter', async () => {
    const contest = Contest.of(1, { config: { drainTimeoutMs: 0 } });
    await contest.advance(0);
    const { candidate, store } = contest.node(0);
    store.cut({ fail: 'before' });
    const stopped = watched(candidate.stop());
    await contest.advance(0);
    expect(stopped.settled).toBe(true);
    expect(store.count('release')).toBeLessThanOrEqual(1);
    await contest.close();
  });
});

describe('stopping', () => {
  it.each([0, 50, 99, 100, 101, 150, 199, 200, 201])(
    'rule 22: %d ms after its request was sent, a candidate never leads on the way out',
    async (afterMs) => {
      const contest = new Contest();
      const a = contest.join();
      a.store.next('acquire', { requestMs: 100, replyMs: 100 });
      const b = contest.add();
      await contest.advance(afterMs);
      const stopped = watched(a.candidate.stop());
      const ledBefore = a.changes.some(({ isLeader }) => isLeader);
      await contest.advance(250);

      expect(ledBefore).toBe(afterMs >= 200);
      expect(stopped).toEqual({ settled: true, failed: false });
      expect(a.candidate.leadership).toBeNull();
      expect(a.changes.filter(({ isLeader }) => isLeader)).toHaveLength(ledBefore ? 1 : 0);
      expect(a.clock.pendingTimers).toBe(0);
      // Nothing was left behind: the next one leads at once.
      b.candidate.start();
      await contest.advance(0);
      expect(contest.leader).toBe(b);
      await contest.close();
    },
  );

  it('rule 22: a grant that arrives after stopping has ended is given back', async () => {
    const contest = new Contest();
    const { candidate, store, clock } = contest.join();
    store.next('acquire', { replyMs: 5000 });
    const stopped = watched(candidate.stop());
    await contest.advance(TIMEOUT_MS + 1);
    expect(stopped.settled).toBe(true);
    expect(clock.pendingTimers).toBe(0);

    await contest.advance(5000);
    expect(contest.stored.lease).toBeNull();
    expect(contest.history.beliefs).toHaveLength(0);
    await contest.close();
  });

  it('T-11: with a renewal under way leaves no timer, command or event behind', async () => {
    const contest = Contest.of(1);
    await contest.advance(0);
    const { candidate, store, clock, told } = contest.node(0);
    store.next('renew', { replyMs: 1000 });
    await contest.advance(RENEW_MS + 100);
    const timersLeft: number[] = [];
    void candidate.stop().then(() => timersLeft.push(clock.pendingTimers));

    await contest.advance(900);
    expect(timersLeft).toEqual([0]);
    const [calls, events] = [store.calls.length, told.length];
    await contest.advance(5 * TTL_MS);
    expect([store.calls.length, told.length]).toEqual([calls, events]);
    await contest.close();
  });

  it.each(Array.from({ length: 24 }, (_, microtasks) => microtasks))(
    'T-11: %d microtasks after a renewal was sent leaves nothing behind',
    async (microtasks) => {
      const contest = Contest.of(1);
      await contest.advance(0);
      const { candidate, clock, store, runs } = contest.node(0);
      const endRun = runs.begin();
      const stopped = watched(candidate.stop());
      await contest.advance(RENEW_MS - 1);
      clock.setTimer(() => {
        void (async () => {
          for (let turn = 0; turn < microtasks; turn += 1) await Promise.resolve();
          endRun();
        })();
      }, 1);
      store.reconnect();
      await contest.advance(1);

      expect(stopped.settled).toBe(true);
      expect(clock.pendingTimers).toBe(0);
      await contest.close();
    },
  );

  it.each(['idle', 'candidate', 'follower', 'leader', 'draining'] as const)(
    'from %s happens once, and every call gets the same promise',
    async (state) => {
      const contest = new Contest();
      if (state === 'follower') contest.join();
      await contest.advance(0);
      const node = contest.add();
      if (state !== 'idle') node.candidate.start();
      if (state !== 'candidate') await contest.advance(0);
      if (state === 'draining') {
        node.runs.begin();
        void node.candidate.stepDown(0);
      }
      if (state !== 'idle') expect(node.candidate.current.state).toBe(state);

      const first = node.candidate.stop();
      expect(node.candidate.stop()).toBe(first);
      const stopped = watched(first);
      await contest.advance(DRAIN_MS + 100);
      expect(stopped).toEqual({ settled: true, failed: false });
      expect(node.candidate.current.state).toBe('stopped');
      expect(states(node.changes).filter((seen) => seen === 'stopped')).toHaveLength(1);
      node.candidate.start();
      await contest.advance(TTL_MS);
      expect(node.candidate.current.state).toBe('stopped');
      await contest.close();
    },
  );

  it('of a leader whose lease ran out unnoticed ends it as expired', async () => {
    const contest = Contest.of(1);
    await contest.advance(0);
    const { candidate, clock, changes } = contest.node(0);
    clock.pause();
    await contest.advance(TTL_MS);
    const stopped = watched(candidate.stop());
    clock.resume();
    await contest.advance(0);

    expect(stopped.settled).toBe(true);
    expect(states(changes)).toEqual(['candidate', 'leader', 'candidate', 'stopped']);
    expect(changes.at(2)?.reason).toBe('expired');
    await contest.close();
  });
});

describe('a listener that calls back', () => {
  it.each(['candidate', 'follower', 'leader', 'draining', 'stopped'] as const)(
    'may stop the candidate when it hears "%s"',
    async (state) => {
      const contest = new Contest();
      if (state === 'follower') contest.join();
      await contest.advance(0);
      const node = contest.add();
      const seen: { settled: boolean; failed: boolean; leaseHeld: boolean }[] = [];
      node.candidate.onChange((change) => {
        if (change.state !== state) return;
        void node.candidate.stop().then(() => {
          const leaseHeld = contest.stored.lease?.holder === node.config.by.holder;
          seen.push({ settled: true, failed: false, leaseHeld });
        });
      });
      node.candidate.start();
      await contest.advance(0);
      if (state === 'draining') void node.candidate.stepDown(0);
      if (state === 'stopped') void node.candidate.stop();
      await contest.advance(100);

      // It resolved after the release, not before.
      expect(seen).toEqual([{ settled: true, failed: false, leaseHeld: false }]);
      expect(node.candidate.current.state).toBe('stopped');
      expect(node.changes.at(-1)?.state).toBe('stopped');
      expect(node.clock.pendingTimers).toBe(0);
      expect(node.store.openWatchers).toBe(0);
      await contest.close();
    },
  );

  it.each(['started', 'granted', 'ended', 'renewed', 'storeAnswered'] as const)(
    'may stop the candidate from the event "%s"',
    async (event) => {
      const contest = new Contest();
      const stopped: { settled: boolean; failed: boolean }[] = [];
      const node = contest.add({
        events: { [event]: () => void stopped.push(watched(node.candidate.stop())) },
      });
      node.candidate.start();
      await contest.advance(RENEW_MS);
      if (event === 'ended') void node.candidate.stepDown(0);
      await contest.advance(100);

      expect(stopped.length).toBeGreaterThan(0);
      expect(stopped.every(({ settled, failed }) => settled && !failed)).toBe(true);
      expect(node.changes.at(-1)).toMatchObject({ state: 'stopped', isLeader: false });
      expect(node.clock.pendingTimers).toBe(0);
      await contest.close();
    },
  );

  it('may stop the candidate from an abort signal', async () => {
    const contest = Contest.of(1);
    await contest.advance(0);
    const { candidate, changes, clock, told } = contest.node(0);
    candidate.leadership?.signal.addEventListener('abort', () => void candidate.stop());
    contest.deleteLease();
    await contest.advance(RENEW_MS);

    expect(states(changes)).toEqual(['candidate', 'leader', 'candidate', 'stopped']);
    expect(told.filter((event) => event.startsWith('ended'))).toEqual(['ended(store-lost)']);
    expect(clock.pendingTimers).toBe(0);
    await contest.close();
  });

  it('may step down from an abort signal, and the cooldown holds', async () => {
    const contest = Contest.of(1, { random: () => 1 });
    await contest.advance(0);
    const { candidate, store } = contest.node(0);
    candidate.leadership?.signal.addEventListener('abort', () => void candidate.stepDown(60_000));
    contest.deleteLease();
    await contest.advance(RENEW_MS + 59_999);

    expect(store.count('acquire')).toBe(1);
    await contest.close();
  });

  it('may look for an expired lease while the candidate stops, and it stays stopped', async () => {
    const contest = Contest.of(1);
    await contest.advance(0);
    const { candidate, clock } = contest.node(0);
    candidate.onChange(() => candidate.noticeExpiry());
    clock.pause();
    await contest.advance(VALID_MS);
    void candidate.stop();
    clock.resume();
    await contest.advance(TTL_MS);

    expect(candidate.current.state).toBe('stopped');
    expect(contest.leaders).toHaveLength(0);
    await contest.close();
  });

  it('finds the leadership over when it hears of its end', async () => {
    const contest = Contest.of(1);
    await contest.advance(0);
    const { candidate } = contest.node(0);
    const { leadership } = candidate;
    const seen: unknown[] = [];
    leadership?.signal.addEventListener('abort', () =>
      seen.push([candidate.leadership, leadership.isValid]),
    );
    candidate.onChange(({ isLeader }) => seen.push([isLeader, leadership?.isValid]));
    contest.deleteLease();
    await contest.advance(RENEW_MS);

    expect(seen).toEqual([
      [null, false],
      [false, false],
    ]);
    await contest.close();
  });

  it('hears nothing more once it has stopped listening', async () => {
    const contest = Contest.of(1);
    const { candidate } = contest.node(0);
    const heard: string[] = [];
    const stopSecond: (() => void)[] = [];
    candidate.onChange(() => {
      heard.push('first');
      stopSecond[0]?.();
    });
    stopSecond.push(candidate.onChange(() => heard.push('second')));
    await contest.advance(0);

    expect(heard).toEqual(['first']);
    await contest.close();
  });
});
