/** Servers that fail, come back, and have lost something meanwhile. */
import { describe, expect, it } from '@jest/globals';
import { MARGIN_MS, RENEW_MS, TTL_MS, VALID_MS } from '../support/election/candidates.js';
import { QuorumContest } from '../support/quorum/quorum-contest.js';
import { holder, requestBy } from '../support/redis/requests.js';

const DOWN = { down: true };

/** Two candidates of which one leads with the lease on every server. */
async function led(): Promise<QuorumContest> {
  const contest = QuorumContest.of(1, { latencyMs: 0.5 });
  await contest.untilLed(TTL_MS);
  contest.join();
  await contest.advance(RENEW_MS + 100);
  return contest;
}

/** A leader on the servers 0 and 1, which alone know of the election. */
async function ledByTwo(): Promise<QuorumContest> {
  const contest = new QuorumContest({ isNew: true });
  const leader = contest.add({ holdOff: 'never' });
  leader.links[2]!.trouble = () => ({ down: true });
  leader.candidate.start();
  await contest.untilLed(10);
  return contest;
}

const holders = (contest: QuorumContest) =>
  contest.servers.map((server) => server.stored().lease?.holder);

describe('A leader of a quorum', () => {
  it('writes its lease back to a server that was restarted empty, which makes others wait', async () => {
    const contest = await led();
    const { name } = contest.leader;
    const epoch = contest.leader.candidate.leadership?.epoch;
    contest.server(1).restartEmpty();
    await contest.advance(RENEW_MS + 100);
    expect(contest.server(1).stored()).toMatchObject({
      lease: { holder: `${name}-random`, epoch },
      record: { epoch, server: '' },
    });
    expect(contest.leader.name).toBe(name);
    await contest.close();
  });

  it('leads on while one server after the other is restarted empty, a lease apart', async () => {
    const contest = await led();
    const { name } = contest.leader;
    const epoch = contest.leader.candidate.leadership?.epoch;
    for (const server of contest.servers) {
      server.trouble = DOWN;
      server.restartEmpty();
      await contest.advance(TTL_MS + 1);
      server.trouble = {};
      await contest.advance(TTL_MS);
    }
    expect(contest.leader.name).toBe(name);
    expect(contest.leader.candidate.leadership?.epoch).toBe(epoch);
    await contest.close();
  });

  it('leads on while one after the other is away so long that its lease ends, and keeps its data', async () => {
    const contest = await led();
    const { name } = contest.leader;
    const epoch = contest.leader.candidate.leadership?.epoch;
    for (const server of contest.servers) {
      server.trouble = DOWN;
      await contest.advance(2 * TTL_MS);
      server.restart();
      server.trouble = {};
      // A server that was restarted gives nobody the lease for as long as a lease lasts.
      await contest.advance(TTL_MS + 2 * RENEW_MS + 100);
    }
    expect(contest.leader.name).toBe(name);
    expect(contest.leader.candidate.leadership?.epoch).toBe(epoch);
    expect(holders(contest)).toEqual(Array.from({ length: 3 }, () => `${name}-random`));
    await contest.close();
  });

  it('asks for the lease again where it ended and another candidate was granted it in vain', async () => {
    const contest = await led();
    const { leader } = contest;
    // Only the leader cannot reach it: the follower, which tries there, leaves a higher epoch.
    leader.links[2]!.trouble = () => DOWN;
    await contest.advance(2 * TTL_MS);
    const tried = contest.server(2).stored().record?.epoch ?? 0;
    expect(tried).toBeGreaterThan(leader.candidate.leadership?.epoch ?? Infinity);

    leader.links[2]!.trouble = () => ({});
    await contest.advance(TTL_MS);
    contest.server(0).trouble = DOWN;
    await contest.advance(5 * TTL_MS);
    expect(contest.leader).toBe(leader);
    await contest.close();
  });

  it('takes no server that it was not granted at first for one that lost its data', async () => {
    const contest = new QuorumContest();
    const rival = requestBy(holder('rival'), { election: 'default', ttlMs: 1_000 });
    await contest.server(2).store.acquire(rival);
    contest.join();
    await contest.untilLed(10);
    await contest.advance(2 * RENEW_MS);
    // Had it written its lease back, the next one to ask there would be made to wait.
    expect(contest.server(2).stored()).toMatchObject({
      lease: { holder: 'a-random', epoch: contest.epochOf(0) },
      record: { server: 'server-1', holdOff: null },
    });
    await contest.close();
  });

  it('asks a server that was not its own at first also when its own fail before it has renewed', async () => {
    const contest = new QuorumContest();
    const rival = requestBy(holder('rival'), { election: 'default', ttlMs: 1_000 });
    await contest.server(2).store.acquire(rival);
    contest.join();
    await contest.untilLed(10);
    contest.server(0).trouble = DOWN;
    await contest.advance(2 * TTL_MS);
    expect(contest.leaders).toHaveLength(1);
    expect(contest.history.beliefs).toHaveLength(1);
    await contest.close();
  });

  it('asks for no lease any more once it has given its own back', async () => {
    const contest = QuorumContest.of(1);
    await contest.untilLed(TTL_MS);
    const { leader } = contest;
    const stored = contest.server(2).stored();
    stored.lease = null;
    Object.assign(stored.record ?? {}, { epoch: 9e12, expiresAt: 0 });
    for (const link of leader.links.slice(2)) {
      link.trouble = (operation) => (operation === 'renew' ? { requestMs: 100 } : {});
    }
    await contest.advance(RENEW_MS + 10);
    void leader.candidate.stop();
    await contest.advance(500);
    expect(holders(contest)).toEqual([undefined, undefined, undefined]);
    await contest.close();
  });

  it('is not the leader any more as soon as a majority says no', async () => {
    const contest = await led();
    const { leader } = contest;
    // Without their records nothing speaks of a loss: the leases are simply another's.
    for (const index of [0, 1]) {
      const { lease, record } = contest.server(index).stored();
      Object.assign(lease ?? {}, { holder: 'stranger', epoch: 9e12 });
      Object.assign(record ?? {}, { holder: 'stranger', epoch: 9e12 });
    }
    await contest.advance(RENEW_MS);
    expect(contest.leaders).not.toContain(leader);
    await contest.close();
  });

  it('is not told by one no and one error, and tries until its lease is over', async () => {
    const contest = await led();
    const { leader } = contest;
    const renewed = leader.links[2]!.calls.filter(({ operation }) => operation === 'renew');
    const deadline = (renewed.at(-1)?.at ?? 0) + VALID_MS;
    contest.server(0).trouble = DOWN;
    const { lease, record } = contest.server(1).stored();
    Object.assign(lease ?? {}, { holder: 'stranger', epoch: 9e12 });
    Object.assign(record ?? {}, { holder: 'stranger', epoch: 9e12 });

    await contest.advance(deadline - contest.clock.elapsedMs - 1);
    expect(contest.leaders).toEqual([leader]);
    const tries = leader.links[2]!.count('renew', deadline - VALID_MS + 1);
    expect(tries).toBeGreaterThan(3);
    await contest.advance(2);
    expect(contest.leaders).toEqual([]);
    await contest.close();
  });
});

describe('One server that was flushed', () => {
  it('is not taken for one where the election is new: another one knows of it', async () => {
    const contest = await ledByTwo();
    contest.server(0).store.flush();
    contest.join();
    await contest.advance(2 * TTL_MS);
    await contest.close();
    expect(contest.history.beliefs[0]).toMatchObject({ node: 'a' });
  });

  it('nor where the one that knows of it gives no answer', async () => {
    const contest = await ledByTwo();
    contest.server(0).store.flush();
    const stranger = contest.add();
    stranger.links[1]!.trouble = () => ({ down: true });
    stranger.candidate.start();
    await contest.advance(2 * TTL_MS);
    await contest.close();
  });
});

describe('A majority that lost its data', () => {
  it.each([
    ['empty', (contest: QuorumContest, index: number) => contest.server(index).restartEmpty()],
    // Its identity tells nothing, only what the candidates know of the election.
    ['flushed', (contest: QuorumContest, index: number) => contest.server(index).store.flush()],
    [
      'with old data',
      (contest: QuorumContest, index: number) =>
        contest.server(index).restart({ lease: null, record: null }),
    ],
  ])('grants nothing until the leader that it forgot is over: %s', async (_, lose) => {
    const contest = await led();
    const { leader } = contest;
    const epoch = leader.candidate.leadership?.epoch ?? 0;
    for (const link of leader.links) link.trouble = () => ({ lose: 'request' });
    for (const index of [0, 1]) lose(contest, index);
    await contest.untilLed(1);
    await contest.advance(VALID_MS);
    await contest.untilLed(2 * TTL_MS + MARGIN_MS);
    expect(contest.leader.candidate.leadership?.epoch).toBeGreaterThan(epoch);
    await contest.close();
  });
});

it('no empty server is taken for a new one by whoever knows the election from others', async () => {
  const contest = new QuorumContest();
  const { store } = contest.add();
  const request = requestBy(holder('a'), { holdOff: 'auto' });
  expect(await store.acquire({ ...request, floor: 7 })).toMatchObject({ because: 'hold-off' });
});

it('a server that comes back with old data leaves neither an old leader nor an old epoch', async () => {
  const contest = await led();
  const old = structuredClone(contest.server(2).stored());
  contest.server(2).trouble = DOWN;
  for (let round = 0; round < 3; round += 1) {
    void contest.leader.candidate.stepDown(100);
    await contest.advance(2 * TTL_MS);
  }
  const epoch = contest.leader.candidate.leadership?.epoch ?? 0;
  contest.server(2).restart(old);
  contest.server(2).trouble = {};
  // Now it makes a majority with any other.
  contest.server(0).trouble = DOWN;
  void contest.leader.candidate.stepDown(100);
  await contest.advance(4 * TTL_MS);
  expect(contest.leader.candidate.leadership?.epoch).toBeGreaterThan(epoch);
  await contest.close();
});
