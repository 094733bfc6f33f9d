import { describe, expect, it } from '@jest/globals';
import {
  Contest,
  PROBE_MS,
  RETRY_MS,
  TIMEOUT_MS,
  TTL_MS,
  VALID_MS,
} from '../../support/election/candidates.js';

describe('acquiring the lease', () => {
  it('L-09: a free lease is taken within one round trip', async () => {
    const contest = new Contest();
    const { candidate, store } = contest.join();
    store.next('acquire', { requestMs: 5, replyMs: 5 });

    await contest.advance(9);
    expect(candidate.leadership).toBeNull();
    await contest.advance(1);
    expect(candidate.leadership).not.toBeNull();
    await contest.close();
  });

  it('L-09: a lease that a dead leader left is taken as it runs out', async () => {
    const contest = Contest.of(1);
    await contest.advance(0);
    contest.node(0).clock.pause();
    await contest.advance(TTL_MS - 300);
    const late = contest.join();

    await contest.advance(300);
    expect(late.candidate.leadership).toBeNull();
    await contest.advance(PROBE_MS);
    expect(late.candidate.leadership).not.toBeNull();
    contest.node(0).clock.resume();
    await contest.close();
  });

  it('rule 1: validity counts from before the request was sent', async () => {
    const contest = new Contest();
    const { candidate, store } = contest.join();
    store.next('acquire', { requestMs: 800, replyMs: 800 }).always('renew', { lose: 'request' });

    await contest.advance(1600);
    const { leadership } = candidate;
    await contest.advance(VALID_MS - 1600 - 1);
    expect(leadership?.isValid).toBe(true);
    await contest.advance(1);
    expect(leadership?.isValid).toBe(false);
    store.heal();
    await contest.close();
  });

  it('S-10: with every answer 0.6 ttl late, a leader ends before its lease does', async () => {
    const contest = new Contest();
    const slow = contest.join({ config: { commandTimeoutMs: 6500 } });
    slow.store.faults = ({ operation }) => ({
      replyMs: operation === 'release' ? 0 : 0.6 * TTL_MS,
    });

    await contest.advance(VALID_MS - 1);
    expect(slow.candidate.leadership).not.toBeNull();
    await contest.advance(1);
    expect(slow.candidate.leadership).toBeNull();
    expect(contest.stored.lease?.expiresAt).toBeGreaterThan(contest.clock.wallMs());
    slow.store.faults = () => ({});
    await contest.close();
  });

  it.each([
    { replyMs: VALID_MS - 1, leads: true },
    { replyMs: VALID_MS, leads: false },
    { replyMs: TTL_MS + 1, leads: false },
  ])(
    'S-11: a grant that arrives after $replyMs ms makes a leader: $leads',
    async ({ replyMs, leads }) => {
      const contest = new Contest();
      const { candidate, store, changes } = contest.join({ config: { commandTimeoutMs: 15_000 } });
      store.next('acquire', { replyMs }).next('acquire', { lose: 'request' });

      await contest.advance(replyMs);
      expect(candidate.leadership !== null).toBe(leads);
      expect(changes.some(({ isLeader }) => isLeader)).toBe(leads);
      // Where it came too late, the next try is under way at once.
      expect(store.count('acquire')).toBe(leads ? 1 : 2);
      await contest.close();
    },
  );

  it('L-01: a lost answer costs one retry, not a ttl, and the retry is a new epoch', async () => {
    const contest = Contest.of(2);
    const [first] = contest.nodes;
    first?.store.next('acquire', { lose: 'reply' });

    await contest.advance(0);
    const lost = contest.stored.lease?.epoch ?? 0;
    await contest.advance(TIMEOUT_MS + 1 + RETRY_MS);

    expect(contest.leader).toBe(first);
    expect(contest.leader.candidate.leadership?.epoch).toBe(lost + 1);
    await contest.close();
  });

  it('rule 7: a request that arrives after a later one was granted changes nothing', async () => {
    const contest = new Contest();
    const { candidate, store } = contest.join();
    store.next('acquire', { requestMs: 3000 });

    await contest.advance(2500);
    const epoch = candidate.leadership?.epoch;
    expect(epoch).toBeDefined();
    await contest.advance(1000);

    expect(candidate.leadership?.epoch).toBe(epoch);
    expect(contest.stored.lease?.epoch).toBe(epoch);
    expect(contest.transcript.toString()).toContain('acquire: no, outdated');
    await contest.close();
  });

  it('rule 8: a late grant of an earlier try does not disturb the leadership that followed', async () => {
    const contest = new Contest();
    const { candidate, store } = contest.join();
    store.next('acquire', { replyMs: 3000 });

    await contest.advance(2500);
    const epoch = candidate.leadership?.epoch;
    await contest.advance(10_000);

    expect(candidate.leadership?.epoch).toBe(epoch);
    await contest.close();
  });

  it('S-15: of candidates with one host name, pid and nodeId only one leads', async () => {
    const contest = new Contest();
    for (const holder of ['x', 'y', 'z']) {
      contest.join({ config: { by: { holder, nodeId: 'host:1', metadata: {} } } });
    }

    await contest.advance(3 * TTL_MS);
    expect(contest.leaders).toHaveLength(1);
    await contest.close();
  });

  it('S-18: two candidates of one process on one store do not both lead', async () => {
    const contest = new Contest();
    const process = contest.clock.fork();
    contest.join({ clock: process });
    contest.join({ clock: process });

    await contest.advance(3 * TTL_MS);
    expect(contest.leaders).toHaveLength(1);
    await contest.close();
  });

  it('S-21: a store that cannot be reached makes no leader', async () => {
    const contest = new Contest();
    const { candidate, store, changes } = contest.join();
    store.cut({ fail: 'before' });

    await contest.advance(10 * TTL_MS);
    expect(changes.map(({ state }) => state)).toEqual(['candidate']);
    expect(candidate.leadership).toBeNull();
    expect(await candidate.verify()).toBe(false);

    store.heal();
    await contest.untilLed(TTL_MS / 3);
    await contest.close();
  });

  it('F-27: a first acquire that is rejected does not disturb what follows', async () => {
    const contest = new Contest();
    const { candidate, store, told } = contest.join();
    store.next('acquire', { fail: 'before' });

    await contest.advance(0);
    expect(candidate.current.state).toBe('candidate');
    expect(told).toContain('storeFailed(acquire)');
    await contest.advance(RETRY_MS);
    expect(candidate.leadership).not.toBeNull();
    await contest.advance(5 * TTL_MS);
    expect(candidate.leadership).not.toBeNull();
    await contest.close();
  });

  it.each([
    { name: 'rejects', fault: { fail: 'before' } },
    { name: 'throws synchronously', fault: { fail: 'throw' } },
    { name: 'never settles', fault: { lose: 'request' } },
    { name: 'loses every answer', fault: { lose: 'reply' } },
  ] as const)(
    'L-04: an hour with a store that $name does not end the campaign',
    async ({ fault }) => {
      const contest = new Contest();
      const { store } = contest.join();
      store.cut(fault);

      await contest.advance(3_600_000);
      expect(contest.leaders).toHaveLength(0);
      // Backed off: a third of a ttl at most, half of that at least, apart from the time a call may take.
      expect(store.calls.length).toBeLessThan(3_600_000 / (TTL_MS / 6));
      expect(store.calls.length).toBeGreaterThan(3_600_000 / (TTL_MS / 3 + TIMEOUT_MS + 1));

      store.heal();
      await contest.untilLed(TTL_MS / 3 + TIMEOUT_MS + 1);
      await contest.close();
    },
  );

  it('backs off from a store that fails, and no further than a third of a ttl', async () => {
    const contest = new Contest();
    const { store } = contest.join({ random: () => 0.999_999 });
    store.cut({ fail: 'before' });

    await contest.advance(20_000);
    const times = store.calls.map(({ at }) => at);
    const waits = times.slice(1).map((at, index) => Math.round(at - (times[index] ?? 0)));
    expect(waits.slice(0, 6)).toEqual([333, 667, 1333, 2667, 3333, 3333]);
    store.heal();
    await contest.close();
  });

  it('a store that answers looks but refuses tries is not asked more often than it should be', async () => {
    const contest = new Contest();
    const { store } = contest.join();
    store.always('acquire', { fail: 'before' });

    await contest.advance(60_000);
    expect(store.count('acquire')).toBeLessThanOrEqual(60_000 / (TTL_MS / 6) + 4);
    expect(store.count('inspect')).toBeLessThanOrEqual(store.count('acquire'));
    store.heal();
    await contest.untilLed(TTL_MS / 3);
    await contest.close();
  });

  it('a store that answers each try with an error has granted nothing, so nothing else is asked', async () => {
    const contest = new Contest();
    const { store } = contest.join();
    store.always('acquire', { fail: 'answer' });

    await contest.advance(60_000);
    expect(store.count('acquire')).toBeLessThanOrEqual(60_000 / (TTL_MS / 6) + 4);
    expect(store.count('inspect')).toBe(0);
    store.heal();
    await contest.untilLed(TTL_MS / 3);
    await contest.close();
  });

  it('T-10: candidates whose wall clocks are ten minutes apart elect as others do', async () => {
    const contest = new Contest();
    for (const aheadMs of [0, 600_000, -600_000]) {
      contest.join({ clock: contest.clock.fork(aheadMs) });
    }
    await contest.advance(5 * TTL_MS);
    expect(contest.history.beliefs).toHaveLength(1);

    contest.leader.clock.pause();
    await contest.advance(2 * TTL_MS);
    expect(contest.leaders).toHaveLength(1);
    expect(contest.history.beliefs).toHaveLength(2);
    contest.node(0).clock.resume();
    await contest.close();
  });

  it('goes on when the store says nonsense about how long to wait', async () => {
    const contest = new Contest();
    const { store } = contest.join();
    const sight = { leader: null, seenEpoch: 0, granted: false, because: 'held' };
    store.next('acquire', { answer: { ...sight, waitMs: 1e12 } });
    store.next('acquire', { answer: { ...sight, waitMs: -5 } });

    await contest.untilLed(TTL_MS + 2 * PROBE_MS);
    await contest.close();
  });
});
