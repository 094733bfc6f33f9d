/** Many elections in one process on one connection. */
import { RedisServer } from '../../test/support/redis/redis-server.js';
import { elections } from '../load/holders/elections.js';
import type { Holder } from '../load/holders/holder.interface.js';
import { nestModules } from '../load/holders/nest-modules.js';
import { redisSemaphore } from '../load/holders/redis-semaphore.js';
import { redlock } from '../load/holders/redlock.js';
import { pass } from '../load/pass.js';
import { FAULTS, measureManyLeases } from '../load/many-leases.js';
import type { Measure, MeasureContext, Row } from '../measure.interface.js';
import { OURS } from '../ours.js';

const ID = 'many-elections';
const TTL_MS = 10_000;
const MOST = 10_000;
/** Before that nobody leads, since this Redis may have lost data. It counts in whole seconds. */
const SETTLED_AFTER_MS = TTL_MS + 1000;

/** How many leases of whom, and what happens to them. */
interface Size {
  readonly holder: Holder;
  readonly count: number;
  readonly faults: typeof FAULTS;
}

const FULL: readonly Size[] = [
  ...[1, 100, 1000].map((count) => ({ holder: elections, count, faults: FAULTS.slice(0, 1) })),
  { holder: elections, count: MOST, faults: FAULTS },
  ...[nestModules, redisSemaphore, redlock].flatMap((holder) =>
    [100, 1000].map((count) => ({ holder, count, faults: [] })),
  ),
];

const QUICK: readonly Size[] = [{ holder: elections, count: MOST, faults: [] }];

export const manyElections: Measure = {
  id: ID,
  title: 'Many elections in one process',
  how: `One process leads all of them, on one connection, with a ttl of ${TTL_MS / 1000} s; a Redis of its own, which
runs for longer than the ttl already. The elections are made by the factory behind \`forFeature\`, without Nest's
container, where a module and a provider alone take several times the memory of an election; beside it the same
by \`forFeature\`. CPU is that of the process over as many renewal intervals as come nearest to a ttl, once all lead;
Redis CPU likewise. Memory is the difference to one election, after a garbage collection. A renewal is late by what the
lease has used up, when it is confirmed, beyond \`renewIntervalMs\`, counted from when the last one was asked for. Of
more than 1,000 of those, 1,000 are kept, at even ranks down from the largest. To lose all at once the process, or Redis, is
stopped (SIGSTOP) for longer than the ttl; the time until all lead again counts from when it goes on. The lock libraries
hold as many locks, and renew them as they do by default: redis-semaphore at 80 % of the ttl, redlock 500 ms before
its end; after a lost lock they leave it to their user to ask again.`,
  goals: [
    { figure: 'CPU', cases: [caseOf(MOST)], statistic: 'median', atMost: 33 },
    { figure: 'heap each', cases: [caseOf(MOST)], statistic: 'median', atMost: 3 },
    { figure: 'renewal later than planned', statistic: 'max', atMost: TTL_MS / 10 },
    { figure: 'lost at rest', statistic: 'max', atMost: 0 },
  ],
  async run(context) {
    const sizes = (context.quick ? QUICK : FULL).filter(({ holder }) => isAsked(context, holder));
    if (sizes.length === 0) return [];
    const server = await RedisServer.start();
    try {
      const rows: Row[] = [];
      const settledAt = performance.now() + SETTLED_AFTER_MS;
      for (const size of sizes) {
        if (size.holder.id.startsWith(OURS)) await pass(settledAt - performance.now());
        rows.push(...(await rowsOf(server, size, context)));
      }
      return rows;
    } finally {
      await server.stop();
    }
  },
};

async function rowsOf(
  server: RedisServer,
  { holder, count, faults }: Size,
  context: MeasureContext,
): Promise<readonly Row[]> {
  context.say(`${holder.id}: ${caseOf(count)}`);
  const cases = await measureManyLeases(server, { holder, count, ttlMs: TTL_MS, faults });
  return [...cases].flatMap(([suffix, figures]) =>
    figures.map((figure) => ({
      measure: ID,
      contestant: holder.id,
      case: `${caseOf(count)}${suffix}`,
      ...figure,
    })),
  );
}

function caseOf(count: number): string {
  return count === 1 ? '1 election' : `${count.toLocaleString('en-US')} elections`;
}

function isAsked({ contestants }: MeasureContext, { id }: Holder): boolean {
  return contestants.some((asked) => id === asked || (asked === OURS && id.startsWith(OURS)));
}
