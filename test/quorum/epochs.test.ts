/** Epochs over a quorum: any two majorities share a server, and that one knows. */
import { expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { QuorumContest } from '../support/quorum/quorum-contest.js';
import { holder, releaseTo, requestBy } from '../support/redis/requests.js';

const TTL_MS = 1_000;
const TIMEOUT_MS = 200;
const CANDIDATES = 3;

const step = fc.record({
  by: fc.nat(CANDIDATES - 1),
  /** What each server does with the requests of the first round, the second, and the release. */
  servers: fc.array(
    fc.record({
      acquire: fc.constantFrom('ok', 'ok', 'ok', 'lost', 'unheard', 'late'),
      raiseEpoch: fc.constantFrom('ok', 'ok', 'ok', 'lost', 'unheard'),
      release: fc.constantFrom('ok', 'lost', 'late'),
    }),
    { minLength: 5, maxLength: 5 },
  ),
  /** The candidate is a new process, which never saw an epoch. */
  isNew: fc.boolean(),
  pauseMs: fc.constantFrom(0, 150, TTL_MS + 1, TTL_MS + 400),
});

const TROUBLES = {
  ok: {},
  lost: { lose: 'request' },
  unheard: { lose: 'reply' },
  late: { replyMs: TIMEOUT_MS + 50 },
} as const;

it.each([3, 5])(
  'grow from grant to grant, whichever majorities of %i servers these had',
  async (count) => {
    let grants = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 30, maxLength: 30 }), async (steps) => {
        const contest = new QuorumContest({ servers: count });
        const floors = new Map<number, number>();
        let processes = 0;
        let nodes = Array.from({ length: CANDIDATES }, () => contest.add());
        const holders = nodes.map(() => holder(`first-${(processes += 1)}`));
        let highest = 0;
        for (const [attempt, { by, servers, isNew, pauseMs }] of steps.entries()) {
          if (isNew) {
            nodes = nodes.map((node, index) => (index === by ? contest.add() : node));
            holders[by] = holder(`later-${(processes += 1)}`);
            floors.delete(by);
          }
          const { store, links } = nodes[by]!;
          for (const [index, link] of links.entries()) {
            link.trouble = (operation) => {
              const plan: Record<string, keyof typeof TROUBLES> = servers[index]!;
              return TROUBLES[plan[operation] ?? 'ok'];
            };
          }
          const request = requestBy(holders[by]!, {
            attempt,
            ttlMs: TTL_MS,
            floor: floors.get(by) ?? 0,
            timeoutMs: TIMEOUT_MS,
            holdOff: 'auto',
          });
          const asked = store.acquire(request).catch(() => null);
          await contest.advance(TIMEOUT_MS + 10);
          const reply = await asked;
          if (reply?.granted === true) {
            grants += 1;
            expect(reply.epoch).toBeGreaterThan(highest);
            highest = reply.epoch;
            const release = releaseTo(holders[by]!, reply.epoch, { attempt, timeoutMs: 100 });
            void store.release(release).catch(() => false);
          }
          const seen = reply === null ? 0 : reply.granted ? reply.epoch : reply.seenEpoch;
          floors.set(by, Math.max(floors.get(by) ?? 0, seen));
          await contest.advance(pauseMs);
        }
      }),
      { numRuns: 40 },
    );
    expect(grants).toBeGreaterThan(150);
  },
);
