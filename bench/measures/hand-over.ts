/** Hand-over on release. */
import type { RedisServer } from '../../test/support/redis/redis-server.js';
import { withHosts } from '../candidates/candidate-hosts.js';
import { withServers } from '../candidates/servers.js';
import type { Contestant } from '../contestants/contestant.interface.js';
import type { Measure, Row, Unit } from '../measure.interface.js';
import { OURS } from '../ours.js';
import { type HandOvers, handOvers } from './hand-over-round.js';
import { sideBySide } from './side-by-side.js';

const ID = 'hand-over';
const FROM_STOP = 'from stop() to leading';
const FROM_DELETION = 'from the deletion to leading';
const COMMANDS = 'commands of the winner';

interface Case {
  readonly candidates: number;
  readonly hosts: number;
}

const CASES: readonly Case[] = [
  { candidates: 3, hosts: 3 },
  { candidates: 50, hosts: 5 },
];
const QUICK = { ours: 5, peer: 1 };
/** Enough of this library for a p99. */
const COUNTS = 3;
const QUICK_PEERS_AT_ONCE = 6;
const FULL = { ours: 100, peer: 15 };

export const handOver: Measure = {
  id: ID,
  title: 'Hand-over on release',
  how:
    "The leader ends as its users would end it, and another one leads: the time from the call to the new leader's first `true`, " +
    'and from when the lease is deleted in Redis, as a process of its own hears by a keyspace event, which may be a little late. ' +
    'The one that left comes back as a follower, and after 0.1 to 1.1 s the next hand-over begins. All have a ttl of 2 s; 3 ' +
    'candidates are in three processes, 50 in five. _Commands of the winner_ are those that the new leader sends from the deletion ' +
    'until it is granted the lease; the limit is one. They are counted by `MONITOR` in three hand-overs of their own, since it makes ' +
    'Redis slower. In the short form the peers are measured side by side.',
  goals: [
    { figure: FROM_DELETION, statistic: 'median', atMost: 3 },
    { figure: FROM_DELETION, statistic: 'p99', atMost: 20 },
    { figure: COMMANDS, statistic: 'max', atMost: 1 },
  ],
  run: (context) =>
    withServers(1, async (servers) => {
      const rows: Row[] = [];
      for (const server of servers) {
        const peersAtOnce = context.quick ? QUICK_PEERS_AT_ONCE : 1;
        for (const group of sideBySide(context.contestants, peersAtOnce)) {
          for (const one of CASES) {
            const ids = group.map(({ id }) => id);
            context.say(`${ids.join(', ')} with ${one.candidates} candidates`);
            rows.push(...(await measured(group, one, server, context.quick)));
          }
        }
      }
      return rows;
    }),
};

/** Contestants side by side, in the same processes. */
function measured(
  contestants: readonly Contestant[],
  { candidates, hosts: count }: Case,
  server: RedisServer,
  quick: boolean,
): Promise<readonly Row[]> {
  return withHosts(count, async (hosts) => {
    const rows = contestants.map(async (contestant) => {
      const repetitions = (quick ? QUICK : FULL)[contestant.id === OURS ? 'ours' : 'peer'];
      const options = { contestant, server, candidates, hosts, repetitions, counts: COUNTS };
      return rowsOf(contestant, candidates, await handOvers(options));
    });
    return (await Promise.all(rows)).flat();
  });
}

function rowsOf({ id }: Contestant, candidates: number, got: HandOvers): readonly Row[] {
  const row = (figure: string, unit: Unit, samples: readonly number[]): Row => {
    return { measure: ID, contestant: id, case: `${candidates} candidates`, figure, unit, samples };
  };
  return [
    row(FROM_STOP, 'ms', got.fromStopMs),
    row(FROM_DELETION, 'ms', got.fromDeletionMs),
    row(COMMANDS, 'commands', got.winnerCommands),
  ].filter(({ samples }) => samples.length > 0);
}
