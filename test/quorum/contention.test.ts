/** Candidates that ask at the same moment, of servers that are not asked in the same order. */
import { describe, expect, it } from '@jest/globals';
import { TIMEOUT_MS, TTL_MS } from '../support/election/candidates.js';
import { QuorumContest, type QuorumContestOptions } from '../support/quorum/quorum-contest.js';

const SEEDS = Array.from({ length: 20 }, (_, index) => index + 1);
/** All that is needed to find out who leads where nobody was in the way. */
const COMMANDS_OF_ONE_GRANT = 6;

interface TakeOver extends QuorumContestOptions {
  readonly deaf?: boolean;
}

interface Outcome {
  readonly tookMs: number;
  readonly commands: number;
}

/** Whoever leads stops, or is cut off where they are deaf; measures how the others settle on one of them. */
async function takeOver(
  candidates: number,
  { deaf = false, ...options }: TakeOver,
): Promise<Outcome> {
  const contest = QuorumContest.of(candidates + 1, { latencyMs: 1, ...options });
  await contest.untilLed(TTL_MS);
  const { leader } = contest;
  await contest.advance(TTL_MS);
  for (const { links } of contest.nodes) for (const link of links) link.deaf = deaf;
  if (deaf) {
    for (const link of leader.links) link.trouble = () => ({ lose: 'request' });
    // What is on its way arrives; then to the moment at which the first lease ends.
    await contest.advance(4 * (options.latencyMs ?? 1));
    const ends = contest.servers.map((server) => server.stored().lease?.expiresAt ?? Infinity);
    await contest.advance(Math.min(...ends) - contest.clock.wallMs());
  } else {
    void leader.candidate.stop();
  }
  const before = contest.commands();
  const from = contest.clock.elapsedMs;
  await contest.untilLed(2 * TTL_MS);
  const tookMs = contest.clock.elapsedMs - from;
  await contest.advance(1_000);
  const commands = contest.commands() - before;
  expect(contest.leader).not.toBe(leader);
  await contest.close();
  return { tookMs, commands };
}

describe.each([2, 5])('%i candidates that ask at the same moment', (candidates) => {
  it.each<[string, TakeOver]>([
    ['woken by a release', {}],
    ['woken by nobody', { deaf: true }],
    ['woken by nobody, over five servers', { deaf: true, servers: 5 }],
    ['far from the servers', { deaf: true, latencyMs: 20 }],
  ])('agree on one soon, and with few commands: %s', async (_, options) => {
    const outcomes: Outcome[] = [];
    for (const seed of SEEDS) outcomes.push(await takeOver(candidates, { seed, ...options }));

    const { latencyMs = 1, servers = 3 } = options;
    const slowest = Math.max(...outcomes.map(({ tookMs }) => tookMs));
    expect(slowest).toBeLessThan(50 + 20 * latencyMs);
    const commands = outcomes.map((outcome) => outcome.commands);
    const most = Math.max(...commands) / candidates / (servers / 3);
    expect(most).toBeLessThan(4 * COMMANDS_OF_ONE_GRANT);
  });
});

describe('Candidates that start at the same moment', () => {
  it.each(SEEDS)('lead one at a time, whatever comes late: seed %i', async (seed) => {
    const contest = QuorumContest.of(5, { seed, latencyMs: 15 });
    await contest.untilLed(TTL_MS);
    for (let round = 0; round < 6; round += 1) {
      const [leader] = contest.leaders;
      void leader?.candidate.stepDown(100);
      await contest.advance(1 + contest.random() * 3_000);
    }
    await contest.close();
    expect(contest.history.beliefs.length).toBeGreaterThan(3);
  });

  it('agree on one also while a server is silent, of which each try waits for an answer', async () => {
    for (const seed of SEEDS) {
      const contest = new QuorumContest({ seed, latencyMs: 0.5 });
      for (let index = 0; index < 3; index += 1) contest.join();
      for (const { links } of contest.nodes) links[0]!.trouble = () => ({ lose: 'request' });
      await contest.untilLed(4 * TIMEOUT_MS);
      await contest.close();
    }
  });
});
