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
     0  a  is candidate
     0  b  is candidate
     0  c  is candidate
     0  a  acquire: yes, epoch 1893456000000
     0  b  acquire: no, held, 10000 ms left
     0  c  acquire: no, held, 10000 ms left
     0  a  is leader epoch 1893456000000
     0  b  is follower of a
     0  c  is follower of a
  2500  a  renew: yes
  4000  -  the link of a is cut
  5833  a  renew: request lost
  7750  a  renew: request lost
  9667  a  renew: request lost
 10003  b  acquire: no, held, 2497 ms left
 10003  c  acquire: no, held, 2497 ms left
 10500  a  is candidate (store-lost)
 10500  a  acquire: request lost
 12417  a  acquire: request lost
 12503  b  acquire: yes, epoch 1893456000001
 12503  b  is leader epoch 1893456000001
 12503  c  acquire: no, held, 10000 ms left
 12503  c  is follower of b
 14584  a  inspect: request lost
 14999  b  renew: yes
 16000  -  the link of a is repaired
 17251  a  inspect: 7748 ms left
 17251  a  is follower of b
 17251  a  acquire: no, held, 7748 ms left
 18332  b  renew: yes
 20000  -  b is asked to step down while it works
 20000  b  is draining (released)
 21665  b  renew: yes
 22506  c  acquire: no, held, 9159 ms left
 24998  b  renew: yes
 25000  -  the work of b ends
 25000  b  release: yes
 25000  a  acquire: yes, epoch 1893456000002
 25000  c  acquire: no, held, 10000 ms left
 25000  b  is candidate (released)
 25000  a  is leader epoch 1893456000002
 25000  c  is follower of a
 25000  b  inspect: 10000 ms left
 25000  b  is follower of a
 26000  -  somebody deletes the lease
 27497  a  renew: no, gone
 27497  a  is candidate (store-lost)
 27497  a  acquire: no, vanished, 7503 ms left
 35003  c  acquire: yes, epoch 1893456000003
 35003  c  is leader epoch 1893456000003
 35003  b  inspect: 10000 ms left
 35003  b  is follower of c
 35003  a  acquire: no, held, 10000 ms left
 35003  a  is follower of c
 37496  c  renew: yes
 40000  -  everybody shuts down
 40000  a  is stopped
 40000  b  is stopped
 40000  c  is draining (shutdown)
 40000  c  release: yes
 40000  c  is stopped (shutdown)
`;
