import { describe, expect, it } from '@jest/globals';
import {
  Contest,
  PROBE_MS,
  RENEW_MS,
  TestServer,
  TTL_MS,
} from '../../support/election/candidates.js';

/** A server that restarts and has lost everything. */
function loseAll(contest: Contest, server: TestServer): void {
  server.restart(contest.clock);
  contest.server.flush();
}

describe('hold-off', () => {
  it.each([
    { upMs: TTL_MS, waitsMs: 0 },
    { upMs: TTL_MS - 1000, waitsMs: 1000 },
    { upMs: 0, waitsMs: TTL_MS },
  ])(
    'rule 15, auto: a first start on a server up for $upMs ms leads after $waitsMs ms',
    async ({ upMs, waitsMs }) => {
      const contest = Contest.of(2, { server: new TestServer(upMs) });
      if (waitsMs > 0) {
        await contest.advance(waitsMs - 1);
        expect(contest.leaders).toHaveLength(0);
        await contest.advance(1 + PROBE_MS);
      }
      await contest.advance(0);
      expect(contest.leaders).toHaveLength(1);
      await contest.close();
    },
  );

  it('rule 15, always: a first start waits for one ttl whatever the server says', async () => {
    const contest = Contest.of(2, { server: new TestServer(1e9), config: { holdOff: 'always' } });
    await contest.advance(TTL_MS);
    expect(contest.leaders).toHaveLength(0);
    expect(contest.node(0).told).toContain('waiting(hold-off)');
    await contest.advance(PROBE_MS);
    expect(contest.leaders).toHaveLength(1);
    await contest.close();
  });

  it('rule 15: a leader that was forgotten is over before another is granted the lease', async () => {
    const server = new TestServer(TTL_MS);
    const contest = Contest.of(3, { server });
    await contest.advance(RENEW_MS);
    const { leader } = contest;
    const epoch = leader.candidate.leadership?.epoch ?? 0;
    leader.store.cut();
    loseAll(contest, server);
    for (const { store } of contest.nodes) store.reconnect();

    await contest.advance(TTL_MS);
    expect(contest.leaders).toHaveLength(0);
    await contest.advance(PROBE_MS);
    expect(contest.leader).not.toBe(leader);
    expect(contest.leader.candidate.leadership?.epoch).toBeGreaterThan(epoch);
    leader.store.heal();
    await contest.close();
  });

  it('rule 14: an epoch that was given to nobody else is never repeated after a loss of all data', async () => {
    const server = new TestServer(TTL_MS);
    const contest = Contest.of(2, { server });
    await contest.advance(0);
    for (let loss = 0; loss < 3; loss += 1) {
      contest.leader.clock.pause();
      loseAll(contest, server);
      await contest.advance(3 * TTL_MS);
      contest.nodes.filter(({ clock }) => clock.isHeld).forEach(({ clock }) => clock.resume());
      await contest.advance(TTL_MS);
      expect(contest.leaders).toHaveLength(1);
    }

    expect(contest.history.beliefs.length).toBeGreaterThan(2);
    await contest.close();
  });

  it('rule 15: a wait that has begun is not begun anew by each candidate', async () => {
    const server = new TestServer(TTL_MS);
    const contest = Contest.of(2, { server });
    await contest.advance(0);
    contest.leader.clock.pause();
    loseAll(contest, server);
    for (const { store } of contest.nodes) store.reconnect();
    for (let joining = 0; joining < 5; joining += 1) {
      await contest.advance(TTL_MS / 10);
      contest.join();
    }

    await contest.advance(TTL_MS / 2 + PROBE_MS);
    expect(contest.leaders).toHaveLength(1);
    contest.node(0).clock.resume();
    await contest.close();
  });

  it('rule 16: a lease that vanished is waited for until its recorded end', async () => {
    const contest = Contest.of(2);
    await contest.advance(1000);
    const { leader } = contest;
    leader.store.cut();
    contest.deleteLease();
    for (const { store } of contest.nodes) store.reconnect();

    await contest.advance(TTL_MS - 1000 - 1);
    expect(contest.leaders.filter((node) => node !== leader)).toHaveLength(0);
    await contest.advance(1 + PROBE_MS);
    expect(contest.leader).not.toBe(leader);
    await contest.close();
  });
});
