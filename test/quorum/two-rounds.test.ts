/** The two rounds of a grant: what they fix, and what is given back where they come to nothing. */
import { describe, expect, it } from '@jest/globals';
import type { AcquireReply } from '../../lib/election/lease-store.interface.js';
import { TTL_MS, VALID_MS } from '../support/election/candidates.js';
import { QuorumContest, type QuorumNode } from '../support/quorum/quorum-contest.js';
import { epochOf, holder, requestBy } from '../support/redis/requests.js';

const A = holder('a');
const B = holder('b');
const LONG_MS = 600_000;

/** B holds the lease on the servers 1 and 2, so that a try of A can get no more than server 0. */
async function takenByB(): Promise<{ contest: QuorumContest; a: QuorumNode }> {
  const contest = new QuorumContest();
  for (const index of [1, 2]) {
    await contest.server(index).store.acquire(requestBy(B, { ttlMs: LONG_MS }));
  }
  return { contest, a: contest.add() };
}

const leaseOn = (contest: QuorumContest, index: number) =>
  contest.server(index).stored('jobs').lease;

describe('A grant by a majority', () => {
  it('is valid from before the first request of its first round', async () => {
    const contest = new QuorumContest();
    contest.join({ holdOff: 'always' });
    for (const link of contest.node(0).links) {
      link.trouble = (operation) =>
        operation === 'renew' ? { lose: 'request' } : { requestMs: 300, replyMs: 100 };
    }
    await contest.advance(799);
    expect(contest.leaders).toEqual([]);
    await contest.advance(1);
    expect(contest.leaders).toHaveLength(1);
    await contest.advance(VALID_MS - 800 - 1);
    expect(contest.leaders).toHaveLength(1);
    await contest.advance(1);
    expect(contest.leaders).toEqual([]);
    await contest.close();
  });

  it('has one epoch on every server, above all that any of them knew', async () => {
    const contest = new QuorumContest();
    for (const [index, epoch] of [5e12, 7e12, 6e12].entries()) {
      const { store } = contest.server(index);
      await store.acquire(requestBy(B, { election: 'default', floor: epoch, ttlMs: 100 }));
    }
    await contest.advance(101);
    contest.join();
    await contest.advance(0);
    const epoch = contest.epochOf(0) ?? 0;
    expect(epoch).toBeGreaterThan(7e12);
    for (const server of contest.servers) {
      expect(server.stored()).toMatchObject({ lease: { epoch }, record: { epoch } });
    }
    await contest.close();
  });

  it('does not end later on a server because of its second round', async () => {
    const contest = new QuorumContest();
    const { store, links } = contest.add();
    for (const link of links) link.trouble = () => ({ requestMs: 100 });
    const acquired = store.acquire(requestBy(A));
    await contest.advance(100);
    const ends = contest.servers.map((server) => server.stored('jobs').lease?.expiresAt);
    await contest.advance(100);
    epochOf(await acquired);
    expect(contest.servers.map((server) => server.stored('jobs').lease?.expiresAt)).toEqual(ends);
  });
});

describe('A try that comes to nothing', () => {
  it('is released where it was granted', async () => {
    const { contest, a } = await takenByB();
    expect(await answerTo(contest, a, 1)).toMatchObject({ granted: false });
    await contest.advance(0);
    expect(a.links.map((link) => link.count('acquire'))).toEqual([1, 1, 1]);
    expect(leaseOn(contest, 0)).toBeNull();
    expect(contest.server(0).stored('jobs').record).toMatchObject({ expiresAt: 0 });
  });

  it.each([
    ['comes after the others have decided', { replyMs: 200 }],
    ['comes too late to be heard', { replyMs: 5_000 }],
    ['is lost', { lose: 'reply' as const }],
  ])('is released where it was granted and the answer %s', async (_, trouble) => {
    const { contest, a } = await takenByB();
    a.links[0]!.trouble = (operation) => (operation === 'acquire' ? trouble : {});
    expect(await answerTo(contest, a, 1)).toMatchObject({ granted: false });
    expect(leaseOn(contest, 0)?.holder).toBe(A.holder);
    await contest.advance(10_000);
    expect(leaseOn(contest, 0)).toBeNull();
  });

  it('wakes nobody when it is released', async () => {
    const { contest, a } = await takenByB();
    let woken = 0;
    contest.server(0).store.watch('jobs', { freed: () => (woken += 1), reconnected: () => {} });
    await answerTo(contest, a, 1);
    await contest.advance(100);
    expect(woken).toBe(0);
  });

  it('cannot delete the lease of the next try, however late its release comes', async () => {
    const { contest, a } = await takenByB();
    a.links[0]!.trouble = (operation) => (operation === 'release' ? { requestMs: 500 } : {});
    await answerTo(contest, a, 1);
    for (const index of [1, 2]) contest.server(index).restartEmpty();
    const epoch = epochOf(await answerTo(contest, a, 2));
    await contest.advance(1_000);
    expect(a.links[0]!.count('release')).toBe(1);
    for (const index of [0, 1, 2]) {
      expect(leaseOn(contest, index)).toMatchObject({ holder: A.holder, epoch });
    }
  });

  it('is released when its leases ended before their epoch could be raised', async () => {
    const contest = new QuorumContest();
    const a = contest.add();
    for (const link of a.links) {
      link.trouble = (operation) => (operation === 'raiseEpoch' ? { requestMs: 100 } : {});
    }
    const answer = a.store.acquire(requestBy(A));
    await contest.advance(50);
    for (const index of [0, 1]) contest.server(index).stored('jobs').lease = null;
    await contest.advance(1_000);
    expect(await answer).toMatchObject({ granted: false, because: 'held', leader: null });
    expect(leaseOn(contest, 2)).toBeNull();
  });

  it('is no grant when the second round gets no majority in time', async () => {
    const contest = new QuorumContest();
    const a = contest.add();
    for (const link of a.links.slice(1)) {
      link.trouble = (operation) => (operation === 'raiseEpoch' ? { lose: 'reply' } : {});
    }
    const failed = a.store.acquire(requestBy(A, { timeoutMs: 1_000 })).catch((error) => error);
    await contest.advance(1_000);
    expect(await failed).toMatchObject({ kind: 'unreachable' });
    await contest.advance(1_000);
    expect([0, 1, 2].map((index) => leaseOn(contest, index))).toEqual([null, null, null]);
  });

  it('waits longer and longer where leases end as soon as they are granted', async () => {
    const contest = new QuorumContest();
    const { links } = contest.join({ holdOff: 'never' });
    for (const link of links) {
      const { raiseEpoch } = link;
      link.raiseEpoch = (request) => {
        for (const server of contest.servers) server.store.flush();
        return raiseEpoch(request);
      };
    }
    await contest.advance(10 * TTL_MS);
    expect(contest.leaders).toEqual([]);
    expect(links[0]!.count('acquire')).toBeLessThan(30);
    await contest.close();
  });
});

/** One try of A, of which no answer takes longer than 100 ms to be decided. */
async function answerTo(
  contest: QuorumContest,
  { store }: QuorumNode,
  attempt: number,
): Promise<AcquireReply> {
  const answer = store.acquire(requestBy(A, { attempt, timeoutMs: 2_000, holdOff: 'never' }));
  await contest.advance(100);
  return answer;
}
