import { describe, expect, it } from '@jest/globals';
import { Contest, PROBE_MS, RENEW_MS, TTL_MS } from '../../support/election/candidates.js';

const MINUTE_MS = 60_000;

describe('followers', () => {
  it.each([0, 0.999_999])(
    'rule 18: a follower sleeps until the lease can be free, plus a little (jitter %d)',
    async (jitter) => {
      const contest = Contest.of(1);
      await contest.advance(1000);
      const { store } = contest.join({ random: () => jitter });
      await contest.advance(0);
      const leftMs = TTL_MS - 1000;

      await contest.advance(leftMs + 1);
      expect(store.count('acquire')).toBe(1);
      await contest.advance(PROBE_MS);
      expect(store.count('acquire')).toBe(2);
      await contest.close();
    },
  );

  it('T-09: in a quiet minute a leader costs a command a renewal, a follower 1.2 a ttl', async () => {
    const contest = Contest.of(5);
    await contest.advance(3 * TTL_MS);
    const since = contest.clock.elapsedMs;
    await contest.advance(MINUTE_MS);

    for (const { store, candidate } of contest.nodes) {
      const spent = store.calls.filter(({ at }) => at > since);
      const leads = candidate.leadership !== null;
      const allowed = leads ? Math.ceil(MINUTE_MS / RENEW_MS) : (1.2 * MINUTE_MS) / TTL_MS;
      expect(spent.length).toBeLessThanOrEqual(allowed);
      expect(spent.length).toBeGreaterThanOrEqual(5);
    }
    await contest.close();
  });

  it('T-09: looking at the leadership costs no command', async () => {
    const contest = Contest.of(1);
    await contest.advance(0);
    const { candidate, store } = contest.leader;
    for (let look = 0; look < 1000; look += 1) {
      expect(candidate.leadership?.isValid).toBe(true);
      expect(candidate.current.isLeader).toBe(true);
    }
    expect(store.calls).toHaveLength(1);
    await contest.close();
  });

  it('T-09: one that only watches costs no more, and never leads', async () => {
    const contest = Contest.of(1);
    await contest.advance(0);
    const watcher = contest.join({ config: { campaign: false } });
    await contest.advance(MINUTE_MS);

    expect(watcher.store.count('inspect')).toBeLessThanOrEqual((1.2 * MINUTE_MS) / TTL_MS);
    expect(watcher.store.count('acquire')).toBe(0);
    expect(watcher.candidate.current).toMatchObject({ state: 'follower', leader: { nodeId: 'a' } });
    contest.node(0).clock.pause();
    await contest.advance(3 * TTL_MS);
    expect(contest.leaders).toHaveLength(0);
    expect(watcher.candidate.current).toMatchObject({ state: 'follower', leader: null });
    contest.node(0).clock.resume();
    await contest.close();
  });

  it('rule 19: a release wakes the followers at once', async () => {
    const contest = Contest.of(3);
    await contest.advance(1000);
    const stopped = contest.leader;
    void stopped.candidate.stop();

    await contest.advance(0);
    expect(contest.leader).not.toBe(stopped);
    await contest.close();
  });

  it('rule 19: where that message is lost, the lease is free when it would have ended', async () => {
    const contest = Contest.of(2);
    await contest.advance(1000);
    const [a, b] = [contest.node(0), contest.node(1)];
    b.store.deaf = true;
    void a.candidate.stop();

    await contest.advance(TTL_MS - 1000 - 1);
    expect(b.candidate.leadership).toBeNull();
    await contest.advance(1 + PROBE_MS);
    expect(b.candidate.leadership).not.toBeNull();
    await contest.close();
  });

  it('rule 19: a release that is told while a refusal is on its way is not missed', async () => {
    const contest = Contest.of(1);
    await contest.advance(1000);
    const b = contest.join();
    b.store.next('acquire', { replyMs: 500 });
    await contest.advance(100);
    void contest.node(0).candidate.stop();

    await contest.advance(400);
    expect(b.candidate.leadership).not.toBeNull();
    await contest.close();
  });

  it('rule 19: a message that is wrong costs one command and changes nothing', async () => {
    const contest = Contest.of(2);
    await contest.advance(1000);
    const b = contest.node(1);
    const changes = b.changes.length;
    for (let time = 0; time < 3; time += 1) {
      b.store.reconnect();
      await contest.advance(10);
    }

    expect(b.store.count('acquire')).toBe(4);
    expect(b.changes).toHaveLength(changes);
    await contest.close();
  });

  it('rule 20: a follower whose connection is back looks at once instead of backing off', async () => {
    const contest = Contest.of(1);
    const { store, candidate } = contest.node(0);
    store.cut({ fail: 'before' });
    await contest.advance(MINUTE_MS);
    store.heal();
    store.reconnect();

    await contest.advance(0);
    expect(candidate.leadership).not.toBeNull();
    await contest.close();
  });

  it('L-18: a hundred candidates whose leader dies ask a bounded number of times, spread out', async () => {
    const contest = Contest.of(100, { seed: 18 });
    await contest.advance(3 * TTL_MS);
    const dead = contest.leader;
    const diesAt = contest.clock.elapsedMs;
    const leaseLeftMs = (contest.stored.lease?.expiresAt ?? 0) - contest.clock.wallMs();
    dead.clock.pause();

    await contest.advance(leaseLeftMs);
    await contest.untilLed(PROBE_MS);
    await contest.advance(PROBE_MS);
    const acquires = contest.nodes.flatMap(({ store }) =>
      store.calls.filter(({ at }) => at > diesAt),
    );
    // Each one asks when the dead leader's lease ends; many have asked once before that.
    expect(acquires.length).toBeLessThanOrEqual(2.1 * 99);
    const ended = acquires.filter(({ at }) => at >= diesAt + leaseLeftMs).map(({ at }) => at);
    expect(ended.length).toBeGreaterThanOrEqual(99);
    expect(ended.length).toBeLessThanOrEqual(1.1 * 99);
    expect(Math.max(...ended) - Math.min(...ended)).toBeGreaterThan(1);
    dead.clock.resume();
    await contest.close();
  });

  it('L-19: who asks late finds the present value', async () => {
    const contest = Contest.of(2);
    await contest.advance(1000);

    const { epoch } = contest.leader.candidate.leadership ?? {};
    expect(contest.node(0).candidate.current).toMatchObject({
      state: 'leader',
      isLeader: true,
      epoch,
    });
    expect(contest.node(1).candidate.current).toMatchObject({
      state: 'follower',
      isLeader: false,
      leader: { nodeId: 'a', epoch, metadata: { url: 'http://a' } },
    });
    await contest.close();
  });

  it('J-16: a follower that finds no lease says nothing until it wins', async () => {
    const contest = new Contest();
    const { candidate, store, changes } = contest.join();
    const sight = { granted: false, leader: null, seenEpoch: 0, waitMs: 50 };
    for (let time = 0; time < 5; time += 1) {
      store.next('acquire', { answer: { ...sight, because: 'vanished' } });
    }

    await contest.advance(1000);
    expect(candidate.leadership).not.toBeNull();
    expect(changes.map(({ state }) => state)).toEqual(['candidate', 'leader']);
    await contest.close();
  });

  it('J-16: a refusal without a holder is told once for each cause in a row', async () => {
    const contest = new Contest();
    const { store, told } = contest.join();
    const sight = { granted: false, leader: null, seenEpoch: 0, waitMs: 50 };
    for (const because of ['vanished', 'vanished', 'hold-off', 'hold-off', 'vanished']) {
      store.next('acquire', { answer: { ...sight, because } });
    }

    await contest.advance(1000);
    expect(told.filter((event) => event.startsWith('waiting'))).toEqual([
      'waiting(vanished)',
      'waiting(hold-off)',
      'waiting(vanished)',
    ]);
    await contest.close();
  });

  it('J-17: a standby that starts and stops never tells of a leadership', async () => {
    const contest = Contest.of(1);
    await contest.advance(0);
    const { candidate, changes, told } = contest.join();
    await contest.advance(TTL_MS);
    void candidate.stop();
    await contest.advance(0);

    expect(changes.map(({ state }) => state)).toEqual(['candidate', 'follower', 'stopped']);
    expect(changes.every(({ isLeader, reason }) => !isLeader && reason === null)).toBe(true);
    expect(told.some((event) => event.startsWith('ended') || event === 'granted')).toBe(false);
    await contest.close();
  });

  it('O-04: a follower that loses sight of the store is a candidate, and a follower again when it is back', async () => {
    const contest = Contest.of(2);
    await contest.advance(0);
    const { store, changes } = contest.node(1);
    store.cut({ fail: 'before' });
    await contest.advance(2 * TTL_MS);
    store.heal();
    await contest.advance(TTL_MS);

    expect(changes.map(({ state }) => state)).toEqual([
      'candidate',
      'follower',
      'candidate',
      'follower',
    ]);
    await contest.close();
  });
});
