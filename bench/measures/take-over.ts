/** Take-over after a crash. */
import type { RedisServer } from '../../test/support/redis/redis-server.js';
import { withServers } from '../candidates/servers.js';
import type { Contestant } from '../contestants/contestant.interface.js';
import type { Measure, MeasureContext, Row, Unit } from '../measure.interface.js';
import { OURS } from '../ours.js';
import { sideBySide } from './side-by-side.js';
import { type TakeOver, takeOverRound } from './take-over-round.js';

const ID = 'take-over';
const BEYOND = 'beyond expiry';
const BURST = 'commands in the burst per candidate';

interface Rounds {
  readonly rounds: number;
  readonly elections: readonly number[];
  readonly followerHosts: number;
}

const times = (count: number, candidates: number): readonly number[] =>
  Array.from({ length: count }, () => candidates);

const QUICK_OURS: readonly Rounds[] = [
  { rounds: 1, elections: [...times(6, 3), 50, 50], followerHosts: 2 },
];
const QUICK_PEER: readonly Rounds[] = [
  { rounds: 1, elections: [...times(3, 3), 50], followerHosts: 2 },
];
/** Enough at 3 and 50 candidates for a p99. */
const FULL_OURS: readonly Rounds[] = [
  { rounds: 13, elections: times(8, 3), followerHosts: 2 },
  { rounds: 13, elections: times(4, 50), followerHosts: 4 },
  { rounds: 5, elections: [500], followerHosts: 8 },
];
const FULL_PEER: readonly Rounds[] = [
  { rounds: 2, elections: times(8, 3), followerHosts: 2 },
  { rounds: 3, elections: times(2, 50), followerHosts: 4 },
  { rounds: 2, elections: [500], followerHosts: 8 },
];
/** 500 candidates that try every 10 ms are more than one Redis can answer. */
const NOT_WITH_500 = ['redis-semaphore'];
const MOST_ELECTIONS = 8;
const QUICK_PEERS_AT_ONCE = 2;

export const takeOver: Measure = {
  id: ID,
  title: 'Take-over after a crash',
  how:
    'The leader, in a process of its own, is killed with `SIGKILL`; all have a ttl of 2 s. _Beyond expiry_ is the time from the ' +
    "end of its lease in Redis (`PEXPIRETIME` of the contestant's key, read when the leader is dead) to the new leader's first " +
    '`true`, by the clock that all processes of the machine share; Redis lets a key go one millisecond after its end. The ' +
    'others share two processes (3 candidates), four (50) or eight (500), each with connections of its own, and begin at random ' +
    'times, so that those who poll do it in phases of their own. Up to eight elections are held at the same time, each on a ' +
    'redis-server of its own and with leases that end apart. The _burst_ is what the candidates ask of Redis from 50 ms before ' +
    'the expiry until 300 ms after the take-over, divided by their number; what scripts call is not counted. In the ' +
    'short form it is always two processes, and two peers are measured side by side.',
  goals: [
    { figure: BEYOND, cases: ['3 candidates', '50 candidates'], statistic: 'median', atMost: 5 },
    { figure: BEYOND, cases: ['3 candidates', '50 candidates'], statistic: 'p99', atMost: 50 },
    { figure: BEYOND, cases: ['500 candidates'], statistic: 'median', atMost: 60 },
    { figure: BURST, statistic: 'max', atMost: 2 },
  ],
  run: (context) =>
    withServers(MOST_ELECTIONS, async (servers) => {
      const rows: Row[] = [];
      const peersAtOnce = context.quick ? QUICK_PEERS_AT_ONCE : 1;
      for (const group of sideBySide(context.contestants, peersAtOnce)) {
        const share = Math.floor(servers.length / group.length);
        const got = group.map(async (contestant, index) => {
          const its = servers.slice(index * share, (index + 1) * share);
          return rowsOf(contestant, await takeOversOf(contestant, its, context));
        });
        rows.push(...(await Promise.all(got)).flat());
      }
      return rows;
    }),
};

async function takeOversOf(
  contestant: Contestant,
  servers: readonly RedisServer[],
  context: MeasureContext,
): Promise<readonly TakeOver[]> {
  const takeOvers: TakeOver[] = [];
  for (const { rounds, elections, followerHosts } of planFor(contestant, context.quick)) {
    for (let round = 1; round <= rounds; round += 1) {
      context.say(
        `${contestant.id}, ${elections.join(' + ')} candidates, round ${round} of ${rounds}`,
      );
      const got = await takeOverRound({ contestant, elections, servers, followerHosts });
      if (got.length < elections.length)
        context.say('a lease had ended before it was read: left out');
      takeOvers.push(...got);
    }
  }
  return takeOvers;
}

function planFor({ id }: Contestant, quick: boolean): readonly Rounds[] {
  if (quick) return id === OURS ? QUICK_OURS : QUICK_PEER;
  if (id === OURS) return FULL_OURS;
  return FULL_PEER.filter(
    ({ elections }) => !NOT_WITH_500.includes(id) || !elections.includes(500),
  );
}

function rowsOf({ id }: Contestant, takeOvers: readonly TakeOver[]): readonly Row[] {
  return [...new Set(takeOvers.map(({ candidates }) => candidates))].flatMap((candidates) => {
    const its = takeOvers.filter((one) => one.candidates === candidates);
    const row = (figure: string, unit: Unit, samples: readonly number[]): Row => {
      return {
        measure: ID,
        contestant: id,
        case: `${candidates} candidates`,
        figure,
        unit,
        samples,
      };
    };
    return [
      row(
        BEYOND,
        'ms',
        its.map((one) => one.beyondExpiryMs),
      ),
      row(
        BURST,
        'commands',
        its.map((one) => one.commandsPerCandidate),
      ),
    ];
  });
}
