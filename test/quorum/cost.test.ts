/** What a quorum costs while nothing happens, and what is said when something does. */
import { describe, expect, it } from '@jest/globals';
import { RENEW_MS, TTL_MS } from '../support/election/candidates.js';
import { QuorumContest } from '../support/quorum/quorum-contest.js';

const TTLS = 20;

describe('A quorum at rest', () => {
  it('costs a follower about one command for each server and lease, and nothing is released', async () => {
    const contest = QuorumContest.of(4, { latencyMs: 0.5 });
    await contest.untilLed(TTL_MS);
    await contest.advance(TTL_MS);
    const from = contest.clock.elapsedMs;
    await contest.advance(TTLS * TTL_MS);

    const { leader } = contest;
    for (const { name, links } of contest.nodes) {
      for (const link of links) {
        const asked =
          name === leader.name ? link.count('renew', from) : link.count('acquire', from);
        const perTtl = name === leader.name ? TTL_MS / RENEW_MS : 1.5;
        expect(asked / TTLS).toBeLessThan(perTtl + 0.1);
        expect(asked / TTLS).toBeGreaterThan(perTtl / 2);
      }
    }
    const renewals = leader.links.reduce((sum, link) => sum + link.count('renew', from), 0);
    expect(contest.commands(null, from)).toBe(contest.commands('acquire', from) + renewals);
    await contest.close();
  });

  it('costs little more with a server that is silent', async () => {
    const contest = QuorumContest.of(4, { latencyMs: 0.5 });
    await contest.untilLed(TTL_MS);
    for (const { links } of contest.nodes) links[1]!.trouble = () => ({ lose: 'request' });
    await contest.advance(TTL_MS);
    const from = contest.clock.elapsedMs;
    await contest.advance(TTLS * TTL_MS);
    // An acquire without an answer may have been granted: it is given back.
    expect(contest.commands('release', from)).toBeLessThanOrEqual(
      contest.commands('acquire', from) / 3 + 4,
    );
    expect(contest.commands('acquire', from) / TTLS / 3 / 3).toBeLessThan(1.6);
    expect(contest.commands('raiseEpoch', from)).toBe(0);
    await contest.close();
  });
});

describe('A server that fails while the others go on', () => {
  it('is told once, and its return once', async () => {
    const contest = QuorumContest.of(1, { latencyMs: 0.5 });
    await contest.untilLed(TTL_MS);
    contest.join();
    await contest.advance(TTL_MS);
    const [a, b] = [contest.node(0), contest.node(1)];
    contest.server(1).trouble = { down: true };
    for (const { links } of contest.nodes) links[1]!.trouble = () => ({});
    await contest.advance(10 * TTL_MS);
    for (const { notices } of [a, b]) {
      expect(notices).toEqual([
        expect.stringMatching(/^Server 2 of 3 fails: connect ECONNREFUSED \(2030-01-01T00:/),
      ]);
    }
    contest.server(1).trouble = {};
    await contest.advance(10 * TTL_MS);
    for (const { notices, failures } of [a, b]) {
      expect(notices).toHaveLength(2);
      expect(notices[1]).toMatch(/^Server 2 of 3 answers again \(2030-01-01T00:/);
      expect(failures).toEqual([]);
    }
    await contest.close();
  });

  it('is not worth a word when it was one call', async () => {
    const contest = QuorumContest.of(2);
    await contest.untilLed(TTL_MS);
    for (const { links } of contest.nodes) {
      let hasFailed = false;
      links[1]!.trouble = (operation) => {
        if (hasFailed && operation !== 'release') return {};
        hasFailed = true;
        return { lose: 'request' };
      };
    }
    await contest.advance(5 * TTL_MS);
    expect(contest.nodes.map(({ links }) => links[1]!.count('release') > 0)).toContain(true);
    expect(contest.nodes.flatMap(({ notices }) => notices)).toEqual([]);
    await contest.close();
  });

  it('is told of less often than it is asked when it fails every now and then', async () => {
    const contest = QuorumContest.of(1);
    await contest.untilLed(TTL_MS);
    const [a] = contest.nodes;
    const link = a!.links[1]!;
    link.trouble = () => (contest.random() < 0.5 ? { down: true } : {});
    await contest.advance(100 * TTL_MS);
    expect(link.calls.length).toBeGreaterThan(250);
    expect(a!.notices.length).toBeLessThan(link.calls.length / 5);
    await contest.close();
  });
});
