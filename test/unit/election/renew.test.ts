import { describe, expect, it } from '@jest/globals';
import {
  Contest,
  MARGIN_MS,
  PROBE_MS,
  RENEW_MS,
  RETRY_MS,
  TestServer,
  TIMEOUT_MS,
  TTL_MS,
  VALID_MS,
  type TestNode,
} from '../../support/election/candidates.js';

/** The first renewal comes after a whole interval. */
const UNHURRIED = () => 1;

/** One leader whose store fails the test on every call that it did not announce. */
async function strictLeader(
  random: () => number = UNHURRIED,
): Promise<{ contest: Contest; leader: TestNode; epoch: number }> {
  const contest = new Contest();
  const leader = contest.join({ strict: true, random });
  leader.store.next('acquire');
  await contest.advance(0);
  return { contest, leader, epoch: leader.candidate.leadership?.epoch ?? 0 };
}

async function closeStrict(contest: Contest, leader: TestNode): Promise<void> {
  if (leader.candidate.leadership !== null) leader.store.next('release');
  await contest.close();
  leader.store.assertDone();
}

describe('renewing the lease', () => {
  it('renews at a fixed rate that slow answers do not shift', async () => {
    const { contest, leader } = await strictLeader();
    for (const replyMs of [0, 1000, 500, 0]) leader.store.next('renew', { replyMs });

    await contest.advance(4 * RENEW_MS);
    expect(
      leader.store.calls.filter(({ operation }) => operation === 'renew').map(({ at }) => at),
    ).toEqual([1, 2, 3, 4].map((nth) => nth * RENEW_MS));
    await closeStrict(contest, leader);
  });

  it.each([
    { random: 0, part: 0.5 },
    { random: 0.5, part: 0.75 },
  ])(
    'renews earlier for the first time, so that elections won at once do not stay in step ($part)',
    async ({ random, part }) => {
      const { contest, leader } = await strictLeader(() => random);
      leader.store.next('renew').next('renew');
      await contest.advance((1 + part) * RENEW_MS);
      expect(
        leader.store.calls.filter(({ operation }) => operation === 'renew').map(({ at }) => at),
      ).toEqual([part * RENEW_MS, (1 + part) * RENEW_MS]);
      await closeStrict(contest, leader);
    },
  );

  it('rule 9: names its holder and its epoch', async () => {
    const { contest, leader, epoch } = await strictLeader();
    leader.store.next('renew');
    await contest.advance(RENEW_MS);

    expect(leader.store.calls.at(-1)?.request).toMatchObject({
      by: leader.config.by,
      epoch,
      attempt: 1,
      ttlMs: TTL_MS,
    });
    await closeStrict(contest, leader);
  });

  it.each([
    { at: 'least', random: 0, delayMs: RETRY_MS / 2 },
    { at: 'most', random: 1, delayMs: RETRY_MS },
  ])(
    'rule 10: a failed renewal is repeated after $delayMs ms at $at',
    async ({ random, delayMs }) => {
      const { contest, leader } = await strictLeader(() => random);
      leader.store.next('renew', { fail: 'before' }).next('renew');

      await contest.advance(RENEW_MS * (0.5 + random / 2) + delayMs - 2);
      expect(leader.store.count('renew')).toBe(1);
      await contest.advance(2);
      expect(leader.store.count('renew')).toBe(2);
      expect(leader.candidate.leadership).not.toBeNull();
      await closeStrict(contest, leader);
    },
  );

  it('L-12: one renewal that stalls for 0.4 ttl is not a loss and not an event', async () => {
    const { contest, leader } = await strictLeader();
    leader.store
      .next('renew', { replyMs: 0.4 * TTL_MS })
      .next('renew')
      .next('renew')
      .next('renew');

    await contest.advance(4 * RENEW_MS - 1);
    expect(leader.candidate.leadership).not.toBeNull();
    expect(leader.changes.map(({ state }) => state)).toEqual(['candidate', 'leader']);
    await closeStrict(contest, leader);
  });

  it.each([{ jitter: 0 }, { jitter: 0.999_999 }])(
    'T-08: at least three tries fit in a lease when every call hangs (jitter $jitter)',
    async ({ jitter }) => {
      const contest = new Contest();
      const { store, candidate } = contest.join({ random: () => jitter });
      store.always('renew', { lose: 'request' });

      await contest.advance(VALID_MS - 1);
      expect(candidate.leadership).not.toBeNull();
      expect(store.count('renew')).toBeGreaterThanOrEqual(3);
      store.heal();
      await contest.close();
    },
  );

  it('T-08: a third try that is answered keeps the leadership', async () => {
    const { contest, leader, epoch } = await strictLeader(() => 0.999_999);
    const hang = { lose: 'request' } as const;
    leader.store.next('renew', hang).next('renew', hang).next('renew').next('renew');

    await contest.advance(VALID_MS + RENEW_MS);
    expect(leader.candidate.leadership?.epoch).toBe(epoch);
    await closeStrict(contest, leader);
  });

  it('rule 4: a renewal that never settles does not keep a leader past its deadline', async () => {
    const contest = new Contest();
    const { store, candidate, changes } = contest.join({ config: { commandTimeoutMs: 60_000 } });
    store.next('renew', { lose: 'reply' });

    await contest.advance(VALID_MS - 1);
    const { leadership } = candidate;
    expect(leadership?.isValid).toBe(true);
    await contest.advance(1);
    expect(leadership?.isValid).toBe(false);
    expect(changes.find(({ reason }) => reason !== null)).toMatchObject({ reason: 'store-lost' });
    await contest.close();
  });

  it('L-05: calls that never settle leave no flag behind: the next ones renew', async () => {
    const { contest, leader, epoch } = await strictLeader();
    leader.store.next('renew', { lose: 'reply' });
    for (let times = 0; times < 6; times += 1) leader.store.next('renew');

    await contest.advance(6.5 * RENEW_MS);
    expect(leader.candidate.leadership?.epoch).toBe(epoch);
    await closeStrict(contest, leader);
  });

  it('S-12: a yes that arrives after the deadline changes nothing', async () => {
    const contest = Contest.of(2, { random: UNHURRIED });
    const { candidate, clock, store } = contest.node(0);
    await contest.advance(0);
    const { leadership } = candidate;
    store.next('renew', { replyMs: 100 });

    await contest.advance(RENEW_MS + 50);
    clock.pause();
    await contest.advance(VALID_MS - RENEW_MS - 50);
    expect(leadership?.isValid).toBe(false);
    // The answer is delivered before any timer fires.
    clock.resume();
    await contest.advance(0);

    expect(leadership?.isValid).toBe(false);
    expect(
      contest
        .node(0)
        .changes.map(({ state }) => state)
        .slice(0, 3),
    ).toEqual(['candidate', 'leader', 'candidate']);
    await contest.close();
  });

  it('S-12: a yes that arrives just before the deadline counts', async () => {
    const contest = Contest.of(2, { random: UNHURRIED });
    const { candidate, clock, store } = contest.node(0);
    await contest.advance(0);
    const { leadership } = candidate;
    store.next('renew', { replyMs: 100 });

    await contest.advance(RENEW_MS + 50);
    clock.pause();
    await contest.advance(VALID_MS - RENEW_MS - 50 - 1);
    clock.resume();
    await contest.advance(1);

    expect(leadership?.isValid).toBe(true);
    expect(leadership?.deadline).toBe(RENEW_MS + VALID_MS);
    await contest.close();
  });

  it('rule 1: a renewal extends from when it was sent', async () => {
    const { contest, leader } = await strictLeader();
    leader.store.next('renew', { requestMs: 800, replyMs: 800 });
    await contest.advance(RENEW_MS + 1600);

    expect(leader.candidate.leadership?.deadline).toBe(RENEW_MS + VALID_MS);
    await closeStrict(contest, leader);
  });

  it('rule 11: "held by another" ends the leadership at once', async () => {
    const contest = Contest.of(1);
    const { candidate, changes, store } = contest.node(0);
    await contest.advance(0);
    const epoch = candidate.leadership?.epoch ?? 0;
    contest.stored.lease = {
      holder: 'foreign',
      epoch: epoch + 1,
      expiresAt: contest.clock.wallMs() + TTL_MS,
    };

    await contest.advance(RENEW_MS);
    expect(candidate.leadership).toBeNull();
    expect(changes.slice(-2)).toMatchObject([
      { state: 'candidate', reason: 'taken' },
      { state: 'follower', reason: null, leader: { nodeId: 'foreign', epoch: epoch + 1 } },
    ]);
    expect(store.count('renew')).toBe(1);
    await contest.close();
  });

  it('S-04: a deleted lease ends the leadership at the next renewal, and one leads again within a ttl', async () => {
    const contest = Contest.of(3);
    await contest.advance(1000);
    const { candidate, changes } = contest.leader;
    const epoch = candidate.leadership?.epoch ?? 0;
    contest.deleteLease();

    await contest.advance(RENEW_MS - 1000);
    expect(candidate.leadership).toBeNull();
    expect(changes.find(({ reason }) => reason !== null)).toMatchObject({ reason: 'store-lost' });
    await contest.untilLed(TTL_MS - RENEW_MS + PROBE_MS);
    expect(contest.leader.candidate.leadership?.epoch).toBe(epoch + 1);
    await contest.close();
  });

  it('S-06: after twenty deletions of the lease one leads, and renews', async () => {
    const contest = Contest.of(3, { seed: 6 });
    for (let time = 1; time <= 20; time += 1) {
      await contest.advance((time * 1777) % TTL_MS);
      contest.deleteLease();
      await contest.advance(RENEW_MS);
      await contest.untilLed(TTL_MS + RETRY_MS);
    }

    const { store } = contest.leader;
    const since = contest.clock.elapsedMs;
    await contest.advance(3 * RENEW_MS);
    expect(store.count('renew', since)).toBe(3);
    await contest.close();
  });

  it('rule 12: a leader writes its lease back when the store lost all data, and keeps its epoch', async () => {
    const server = new TestServer(TTL_MS);
    const contest = Contest.of(3, { server });
    await contest.advance(1000);
    const { leader } = contest;
    const epoch = leader.candidate.leadership?.epoch ?? 0;
    server.restart(contest.clock);
    contest.server.flush();

    await contest.advance(5 * TTL_MS);
    expect(contest.leader).toBe(leader);
    expect(leader.candidate.leadership?.epoch).toBe(epoch);
    expect(contest.stored.lease).toMatchObject({ holder: leader.config.by.holder, epoch });
    await contest.close();
  });

  it('rule 12: a leader whose lease has run out writes nothing back', async () => {
    const contest = Contest.of(1);
    const { clock, candidate } = contest.node(0);
    await contest.advance(0);
    const epoch = candidate.leadership?.epoch ?? 0;
    await clock.block(VALID_MS);

    expect(contest.node(0).store.count('renew')).toBe(0);
    expect(candidate.leadership?.epoch).toBe(epoch + 1);
    await contest.close();
  });

  it('rule 13: an epoch seen in a refused renewal is never fallen below', async () => {
    const contest = Contest.of(1);
    const { candidate, store } = contest.node(0);
    await contest.advance(0);
    const epoch = candidate.leadership?.epoch ?? 0;
    store.next('renew', { answer: { renewed: false, because: 'taken', seenEpoch: epoch + 50 } });

    await contest.advance(RENEW_MS);
    expect(store.calls.at(-1)?.request).toMatchObject({ floor: epoch + 50 });
    await contest.close();
  });

  it('L-03: a lost leadership does not harm the renewals of the next', async () => {
    const contest = Contest.of(1);
    const { candidate, store } = contest.node(0);
    await contest.advance(0);
    store.always('renew', { fail: 'before' });
    await contest.advance(VALID_MS);
    store.heal();
    await contest.untilLed(RETRY_MS);
    const epoch = candidate.leadership?.epoch;
    const since = contest.clock.elapsedMs + 1;

    await contest.advance(10 * TTL_MS);
    expect(candidate.leadership?.epoch).toBe(epoch);
    expect(store.count('renew', since)).toBe(Math.floor((10 * TTL_MS) / RENEW_MS));
    await contest.close();
  });

  it('rule 20: a leader whose connection is back renews at once', async () => {
    const { contest, leader } = await strictLeader();
    leader.store.next('renew');
    await contest.advance(100);
    leader.store.reconnect();
    await contest.advance(0);

    expect(leader.candidate.leadership?.deadline).toBe(100 + VALID_MS);
    await closeStrict(contest, leader);
  });

  it('rule 20: a renewal for a connection that is back leaves the others where they were', async () => {
    const { contest, leader } = await strictLeader();
    leader.store.next('renew').next('renew').next('renew');
    await contest.advance(100);
    leader.store.reconnect();
    await contest.advance(2 * RENEW_MS);

    expect(
      leader.store.calls.filter(({ operation }) => operation === 'renew').map(({ at }) => at),
    ).toEqual([100, RENEW_MS, 2 * RENEW_MS]);
    await closeStrict(contest, leader);
  });

  it('keeps its rate through an outage longer than an interval, so that one does not put elections in step', async () => {
    const contest = Contest.of(1, { random: UNHURRIED });
    const { store } = contest.node(0);
    await contest.advance(0);
    store.always('renew', { fail: 'before' });
    await contest.advance(2.2 * RENEW_MS);
    store.heal();
    await contest.advance(RETRY_MS);
    const since = contest.clock.elapsedMs;
    await contest.advance(3 * RENEW_MS - since);

    expect(store.count('renew', since)).toBe(1);
    expect(store.calls.at(-1)?.at).toBe(3 * RENEW_MS);
    await contest.close();
  });

  it('goes on after a verify() that was answered when it was too late for another try', async () => {
    // The last try is more than a hundred ms before the deadline.
    const contest = Contest.of(1, { random: () => 0.97 });
    const { candidate, store } = contest.node(0);
    await contest.advance(0);
    const { leadership } = candidate;
    store.always('renew', { fail: 'before' });
    await contest.advance(VALID_MS - 1);
    store.heal();
    const verified = candidate.verify();
    await contest.advance(0);
    expect(await verified).toBe(true);

    await contest.advance(3 * TTL_MS);
    expect(candidate.leadership).toBe(leadership);
    await contest.close();
  });

  it('verify: asks the store now, and extends the leadership', async () => {
    const { contest, leader } = await strictLeader();
    leader.store.next('renew');
    await contest.advance(500);

    const verified = leader.candidate.verify();
    await contest.advance(0);
    expect(await verified).toBe(true);
    expect(leader.candidate.leadership?.deadline).toBe(500 + VALID_MS);
    await closeStrict(contest, leader);
  });

  it.each([
    {
      says: 'no',
      fault: { answer: { renewed: false, because: 'gone', seenEpoch: 0 } },
      leads: false,
    },
    { says: 'an error', fault: { fail: 'before' }, leads: true },
    { says: 'nothing', fault: { lose: 'reply' }, leads: true },
  ] as const)('verify: is false when the store says $says', async ({ fault, leads }) => {
    const contest = Contest.of(1);
    const { candidate, store } = contest.node(0);
    await contest.advance(0);
    const { leadership } = candidate;
    store.next('renew', fault);

    const verified = candidate.verify();
    await contest.advance(TIMEOUT_MS + 1);
    expect(await verified).toBe(false);
    expect(leadership?.isValid).toBe(leads);
    await contest.close();
  });

  it('a call is given no more time than the leadership has left', async () => {
    const contest = Contest.of(1);
    const { candidate, store } = contest.node(0);
    store.always('renew', { fail: 'before' });
    await contest.advance(VALID_MS - 100);
    store.heal();
    store.next('renew', { lose: 'request' });

    const verified = candidate.verify();
    const request = store.calls.filter(({ operation }) => operation === 'renew').at(-1)?.request;
    await contest.advance(MARGIN_MS);
    expect(await verified).toBe(false);
    expect(request?.timeoutMs).toBeLessThanOrEqual(TIMEOUT_MS);
    const last = store.calls.filter(({ at }) => at === VALID_MS - 100).at(-1)?.request;
    expect(last?.timeoutMs).toBe(100);
    await contest.close();
  });
});
