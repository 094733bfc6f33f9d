import { describe, expect, it } from '@jest/globals';
import type { LossReason } from '../../../lib/election/election.errors.js';
import {
  Contest,
  PROBE_MS,
  RENEW_MS,
  RETRY_MS,
  TIMEOUT_MS,
  TTL_MS,
  VALID_MS,
} from '../../support/election/candidates.js';

const HOUR_MS = 3_600_000;

describe('losing the leadership', () => {
  const losses: readonly {
    readonly how: string;
    readonly reason: LossReason;
    readonly lose: (contest: Contest) => Promise<void>;
  }[] = [
    {
      how: 'another holds the lease',
      reason: 'taken',
      lose: async (contest) => {
        const expiresAt = contest.clock.wallMs() + TTL_MS;
        contest.stored.lease = { holder: 'foreign', epoch: 2e12, expiresAt };
        await contest.advance(RENEW_MS);
      },
    },
    {
      how: 'the lease is gone',
      reason: 'store-lost',
      lose: async (contest) => {
        contest.deleteLease();
        await contest.advance(RENEW_MS);
      },
    },
    {
      how: 'every renewal fails',
      reason: 'store-lost',
      lose: async (contest) => {
        contest.node(0).store.cut({ fail: 'before' });
        await contest.advance(VALID_MS);
      },
    },
    {
      how: 'every renewal hangs',
      reason: 'store-lost',
      lose: async (contest) => {
        contest.node(0).store.cut();
        await contest.advance(VALID_MS);
      },
    },
    {
      how: 'the loop is blocked',
      reason: 'expired',
      lose: (contest) => contest.node(0).clock.block(VALID_MS),
    },
    {
      how: 'the machine sleeps',
      reason: 'expired',
      lose: async (contest) => {
        await contest.node(0).clock.suspend(VALID_MS);
        await contest.advance(RENEW_MS);
      },
    },
    {
      how: 'stepDown() is called',
      reason: 'released',
      lose: async (contest) => {
        void contest.node(0).candidate.stepDown(1);
        await contest.advance(0);
      },
    },
    {
      how: 'stop() is called',
      reason: 'shutdown',
      lose: async (contest) => {
        void contest.node(0).candidate.stop();
        await contest.advance(0);
      },
    },
  ];

  it.each(losses)('O-02: when $how the reason is "$reason"', async ({ reason, lose }) => {
    const contest = Contest.of(1);
    await contest.advance(0);
    const { leadership } = contest.leader.candidate;
    const { signal } = leadership ?? {};

    await lose(contest);

    expect(leadership?.isValid).toBe(false);
    expect(signal?.reason).toMatchObject({ reason, epoch: leadership?.epoch });
    const { changes, told } = contest.node(0);
    expect(changes.find((change) => change.reason !== null)).toMatchObject({
      isLeader: false,
      epoch: null,
      reason,
    });
    expect(told.filter((event) => event.startsWith('ended'))).toEqual([`ended(${reason})`]);
    contest.node(0).store.heal();
    await contest.close();
  });

  it('S-01: a leader whose renewals fail ends before another begins', async () => {
    const contest = Contest.of(2);
    await contest.advance(0);
    const [a, b] = [contest.node(0), contest.node(1)];
    a.store.cut({ fail: 'before' });

    await contest.advance(VALID_MS - 1);
    expect(a.candidate.leadership).not.toBeNull();
    await contest.advance(1);
    expect(a.candidate.leadership).toBeNull();
    await contest.advance(TTL_MS - VALID_MS);
    expect(b.candidate.leadership).toBeNull();
    await contest.advance(PROBE_MS);
    expect(b.candidate.leadership).not.toBeNull();
    await contest.close();
  });

  it('S-02: a failed leadership is over; the same lease won again is a new epoch', async () => {
    const contest = Contest.of(1);
    const { store, changes } = contest.node(0);
    await contest.advance(0);
    store.always('renew', { fail: 'before' });
    await contest.advance(VALID_MS);

    expect(changes.map(({ isLeader }) => isLeader)).toEqual([false, true, false, true]);
    const [first, second] = changes.filter(({ isLeader }) => isLeader);
    expect(second?.epoch).toBe((first?.epoch ?? 0) + 1);
    store.heal();
    await contest.close();
  });

  it('S-08: a leader that loses only the store ends by itself, and overwrites nothing when it is back', async () => {
    const contest = Contest.of(2);
    await contest.advance(5000);
    const [a, b] = [contest.node(0), contest.node(1)];
    const lastRenewalAt = RENEW_MS;
    a.store.cut();

    await contest.advance(lastRenewalAt + VALID_MS - 5000);
    expect(a.candidate.leadership).toBeNull();
    await contest.advance(2 * TTL_MS);
    expect(contest.leader).toBe(b);
    a.store.heal();
    await contest.advance(2 * TTL_MS);

    expect(contest.leader).toBe(b);
    expect(contest.stored.lease?.holder).toBe(b.config.by.holder);
    expect(contest.history.beliefs).toHaveLength(2);
    await contest.close();
  });

  it('S-09, T-01: the first look after a blocked loop tells the loss, before any timer has fired', async () => {
    const contest = Contest.of(2);
    await contest.advance(0);
    const [a, b] = [contest.node(0), contest.node(1)];
    const changesBefore = a.changes.length;

    a.clock.pause();
    await contest.advance(3 * TTL_MS);
    expect(a.changes).toHaveLength(changesBefore);
    expect(a.candidate.leadership).toBeNull();
    expect(a.candidate.current).toMatchObject({ state: 'candidate', isLeader: false, epoch: null });
    expect(b.candidate.leadership).not.toBeNull();

    a.candidate.noticeExpiry();
    expect(a.changes.at(-1)).toMatchObject({ state: 'candidate', reason: 'expired' });
    a.clock.resume();
    await contest.advance(TTL_MS);
    expect(a.told.filter((event) => event.startsWith('ended'))).toEqual(['ended(expired)']);
    expect(contest.leader).toBe(b);
    await contest.close();
  });

  it('rule 3: a block that ends just before the deadline is no loss', async () => {
    const contest = Contest.of(2);
    await contest.advance(0);
    await contest.node(0).clock.block(VALID_MS - 1);

    await contest.advance(TTL_MS);
    expect(contest.leader).toBe(contest.node(0));
    expect(contest.history.beliefs).toHaveLength(1);
    await contest.close();
  });

  it('S-17: a leader that wakes up late and shuts down leaves the lease of its successor alone', async () => {
    const contest = Contest.of(2);
    await contest.advance(0);
    const [a, b] = [contest.node(0), contest.node(1)];
    a.clock.pause();
    await contest.advance(TTL_MS + PROBE_MS);
    const held = { ...contest.stored.lease };
    expect(held.holder).toBe(b.config.by.holder);

    void a.candidate.stop();
    a.clock.resume();
    await contest.advance(100);

    expect(a.candidate.current.state).toBe('stopped');
    expect(contest.stored.lease).toEqual(held);
    await contest.advance(2 * TTL_MS);
    expect(contest.leader).toBe(b);
    expect(contest.history.beliefs).toHaveLength(2);
    await contest.close();
  });

  it('S-17: nor does a release that reaches the store when a successor leads', async () => {
    const contest = Contest.of(2);
    await contest.advance(0);
    const [a, b] = [contest.node(0), contest.node(1)];
    a.store.next('release', { requestMs: TTL_MS + 100 }).always('release', { fail: 'before' });
    void a.candidate.stop();

    await contest.advance(TTL_MS + PROBE_MS);
    expect(contest.leader).toBe(b);
    await contest.advance(TTL_MS);
    expect(contest.leader).toBe(b);
    await contest.close();
  });

  it.each([1, 2])(
    'L-14: a store that is away for 60 s leaves %i candidates ready to lead',
    async (count) => {
      const contest = Contest.of(count);
      await contest.advance(0);
      for (const { store } of contest.nodes) store.cut({ fail: 'before' });
      await contest.advance(60_000);
      expect(contest.leaders).toHaveLength(0);

      for (const { store } of contest.nodes) store.heal();
      await contest.untilLed(TTL_MS / 3);
      await contest.close();
    },
  );

  it('L-14: its own stale lease does not delay a candidate', async () => {
    const contest = Contest.of(1);
    await contest.advance(0);
    const { store } = contest.leader;
    store.cut({ fail: 'before' });
    await contest.advance(VALID_MS + 100);
    expect(contest.stored.lease).not.toBeNull();

    store.heal();
    await contest.untilLed(4 * RETRY_MS);
    expect(contest.clock.elapsedMs).toBeLessThan(TTL_MS);
    await contest.close();
  });

  it('L-02: after twenty forced losses in turn everybody can still lead', async () => {
    const contest = Contest.of(3, { seed: 2 });
    await contest.advance(0);
    for (let loss = 0; loss < 20; loss += 1) {
      const { store } = contest.leader;
      store.cut(loss % 2 === 0 ? { fail: 'before' } : { lose: 'request' });
      await contest.advance(VALID_MS + RENEW_MS);
      await contest.untilLed(TTL_MS);
      store.heal();
      await contest.advance(TTL_MS);
    }

    expect(new Set(contest.history.beliefs.map(({ node }) => node)).size).toBe(3);
    expect(Math.max(...contest.history.gaps())).toBeLessThanOrEqual(TTL_MS + RETRY_MS);
    await contest.close();
  });

  it.each([
    { what: 'are lost', fault: { lose: 'reply' } },
    { what: 'come too late', fault: { replyMs: TIMEOUT_MS + 300 } },
  ] as const)(
    'L-02: a candidate whose answers all $what does not keep the lease from the others',
    async ({ fault }) => {
      const contest = Contest.of(2);
      await contest.advance(0);
      const [a, b] = [contest.node(0), contest.node(1)];
      a.store.cut(fault);

      await contest.advance(2.5 * TTL_MS);
      expect(contest.leader).toBe(b);
      await contest.advance(60_000);
      expect(contest.history.beliefs.map(({ node }) => node)).toEqual(['a', 'b']);
      a.store.heal();
      await contest.close();
    },
  );

  it('T-02: a renewal that comes more than twice too late is told once, with the ttl it needs', async () => {
    const told: { blockedMs: number; neededTtlMs: number }[] = [];
    const contest = Contest.of(1, { events: { loopBlocked: (event) => void told.push(event) } });
    await contest.advance(0);

    await contest.clock.advance(0);
    await contest.node(0).clock.block(2 * RENEW_MS);
    expect(told).toHaveLength(0);
    await contest.node(0).clock.block(2 * RENEW_MS + 1);
    await contest.node(0).clock.block(2 * RENEW_MS + 1);
    expect(contest.history.beliefs).toHaveLength(1);
    expect(told).toEqual([
      { election: 'default', blockedMs: RENEW_MS + 1, neededTtlMs: 14_286, lost: false },
    ]);

    const roomy = 14_286;
    const covered = Contest.of(1, {
      config: { leaseTtlMs: roomy, renewIntervalMs: roomy / 3, safetyMarginMs: roomy / 5 },
    });
    await covered.advance(roomy / 3 - 1);
    await covered.node(0).clock.block(2 * RENEW_MS + 1);
    expect(covered.history.beliefs).toMatchObject([{ open: true }]);
    await covered.close();
    await contest.close();
  });

  it('T-04: a leader whose wall clock is set back an hour ends no later', async () => {
    const contest = Contest.of(1);
    const { clock, store, candidate } = contest.node(0);
    await contest.advance(0);
    const { leadership } = candidate;
    store.cut();
    clock.stepWall(-HOUR_MS);

    await contest.advance(VALID_MS - 1);
    expect(leadership?.isValid).toBe(true);
    await contest.advance(1);
    expect(leadership?.isValid).toBe(false);
    store.heal();
    await contest.close();
  });

  it('T-04: a leader whose wall clock jumps an hour ahead is over at that moment', async () => {
    const contest = Contest.of(1);
    const { clock, candidate } = contest.node(0);
    await contest.advance(0);

    clock.stepWall(HOUR_MS);
    expect(candidate.leadership).toBeNull();
    await contest.advance(VALID_MS);
    await contest.untilLed(RETRY_MS);
    await contest.close();
  });

  it('T-05: a machine that slept ten minutes wakes up without leadership', async () => {
    const contest = Contest.of(2);
    await contest.advance(0);
    const [a, b] = [contest.node(0), contest.node(1)];

    await a.clock.suspend(600_000);
    expect(a.candidate.leadership).toBeNull();
    expect(contest.leader).toBe(b);
    await contest.close();
  });

  it('T-05: it is over by the wall clock even where the monotonic clock stands still', async () => {
    const contest = Contest.of(1);
    const { clock, candidate } = contest.node(0);
    await contest.advance(0);
    const { leadership } = candidate;
    clock.freezeMonotonic();
    clock.stepWall(VALID_MS - 1);
    expect(leadership?.isValid).toBe(true);
    clock.stepWall(3);
    expect(leadership?.isValid).toBe(false);
    clock.thawMonotonic();
    await contest.close();
  });

  it('a lease that is lost while a call hangs leads to one new try at a time', async () => {
    const contest = Contest.of(1);
    const { store } = contest.node(0);
    await contest.advance(0);
    store.cut();
    await contest.advance(VALID_MS + TIMEOUT_MS);
    expect(store.count('acquire')).toBe(2);
    store.heal();
    await contest.close();
  });
});
