import { expect, it } from '@jest/globals';
import { Contest } from '../../support/election/candidates.js';

it('a day in the life of an election reads as it should', async () => {
  const contest = Contest.of(3, { random: () => 0.5 });
  const [a, b, c] = [contest.node(0), contest.node(1), contest.node(2)];
  const say = (what: string): void => contest.transcript.add('-', what);
  await contest.advance(4000);

  say('the link of a is cut');
  a.store.cut();
  await contest.advance(12_000);
  say('the link of a is repaired');
  a.store.heal();
  await contest.advance(4000);

  say('b is asked to step down while it works');
  const endRun = b.runs.begin();
  void b.candidate.stepDown(60_000);
  await contest.advance(5000);
  say('the work of b ends');
  endRun();
  await contest.advance(1000);

  say('somebody deletes the lease');
  contest.deleteLease();
  await contest.advance(14_000);

  say('everybody shuts down');
  await contest.close();

  expect(c.changes.at(-1)?.state).toBe('stopped');
  expect(`\n${contest.transcript.toString()}\n`).toBe(EXPECTED);
});

const EXPECTED = `
`;
