/** A majority is enough, and nothing less is. */
import { describe, expect, it } from '@jest/globals';
import { LeaseStoreError } from '../../lib/election/election.errors.js';
import { TIMEOUT_MS, TTL_MS, VALID_MS } from '../support/election/candidates.js';
import type { Trouble } from '../support/quorum/member-link.js';
import { QuorumContest } from '../support/quorum/quorum-contest.js';
import { holder, releaseTo, renewalOf, requestBy } from '../support/redis/requests.js';

const A = holder('a');

const TROUBLES: readonly [string, Trouble][] = [
  ['refuses connections', { down: true }],
  ['never hears the requests', { lose: 'request' }],
  ['never gets its answers through', { lose: 'reply' }],
  ['answers too late', { replyMs: TIMEOUT_MS + 100 }],
];

describe('Of three servers', () => {
  it.each(TROUBLES)('one that %s keeps nobody from leading, for long', async (_, trouble) => {
    const contest = new QuorumContest({ latencyMs: 0.5 });
    contest.server(1).trouble = trouble;
    const a = contest.join();
    contest.node(0).links[1]!.trouble = () => ({});
    expect(await contest.untilLed(TIMEOUT_MS)).toBeLessThan(10);
    const epoch = contest.epochOf(0);
    await contest.advance(10 * TTL_MS);

    expect(contest.epochOf(0)).toBe(epoch);
    expect(a.failures).toEqual([]);
    await contest.close();
  });

  it.each(TROUBLES)('two that %s keep everybody from leading', async (_, trouble) => {
    const contest = QuorumContest.of(2);
    await contest.untilLed(TTL_MS);
    for (const index of [0, 2]) contest.server(index).trouble = trouble;
    await contest.advance(VALID_MS + TIMEOUT_MS);
    expect(contest.leaders).toEqual([]);

    for (const index of [0, 2]) contest.server(index).trouble = {};
    await contest.untilLed(TTL_MS);
    await contest.close();
  });

  it('two that are down make every call an error that says how many gave no answer, and why', async () => {
    const contest = new QuorumContest();
    const { store } = contest.add();
    for (const index of [0, 2]) contest.server(index).trouble = { down: true };

    const calls = {
      acquire: () => store.acquire(requestBy(A)),
      renew: () => store.renew(renewalOf(A, 7)),
      release: () => store.release(releaseTo(A, 7)),
      inspect: () => store.inspect({ election: 'jobs', timeoutMs: 1000 }),
    };
    for (const [operation, call] of Object.entries(calls)) {
      const error = await failureOf(call);
      expect(error).toBeInstanceOf(LeaseStoreError);
      expect(error).toMatchObject({
        kind: 'unreachable',
        message: expect.stringMatching(
          new RegExp(
            `^2 of 3 servers gave no answer to ${operation}( and 1 refused)?, of which 2 must .*ECONNREFUSED`,
          ),
        ),
      });
    }
  });

  it('two that are silent do so within the timeout of the call', async () => {
    const contest = new QuorumContest();
    const { store } = contest.add();
    for (const index of [0, 2]) contest.server(index).trouble = { lose: 'request' };

    let settled = 0;
    const count = (): void => void (settled += 1);
    store.acquire(requestBy(A, { timeoutMs: 1000 })).then(count, count);
    store.renew(renewalOf(A, 7, { timeoutMs: 1000 })).then(count, count);
    await contest.advance(1000);
    expect(settled).toBe(2);
  });
});

it('of five servers two may fail, and not three', async () => {
  const contest = QuorumContest.of(2, { servers: 5 });
  contest.server(0).trouble = { down: true };
  contest.server(3).trouble = { lose: 'request' };
  await contest.untilLed(TTL_MS);
  const { name } = contest.leader;
  await contest.advance(5 * TTL_MS);
  expect(contest.leader.name).toBe(name);

  contest.server(4).trouble = { lose: 'reply' };
  await contest.advance(VALID_MS + 1);
  expect(contest.leaders).toEqual([]);
  await contest.close();
});

it('whoever cannot reach a majority does not lead, and whoever can does', async () => {
  const contest = QuorumContest.of(2);
  await contest.untilLed(TTL_MS);
  const first = contest.leader;
  for (const link of first.links.slice(1)) link.trouble = () => ({ lose: 'reply' });
  await contest.advance(VALID_MS);
  expect(contest.leaders).not.toContain(first);
  await contest.untilLed(2 * TTL_MS);
  expect(contest.leader).not.toBe(first);
  await contest.close();
});

function failureOf(call: () => Promise<unknown>): Promise<unknown> {
  return call().then(
    (answer) => ({ answer }),
    (error: unknown) => error,
  );
}
