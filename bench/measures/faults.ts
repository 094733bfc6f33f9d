/** Two leaders at once, when the leader is stopped or loses its connection. */
import type { RedisServer } from '../../test/support/redis/redis-server.js';
import { withHosts } from '../candidates/candidate-hosts.js';
import { withServers } from '../candidates/servers.js';
import type { Contestant } from '../contestants/contestant.interface.js';
import { CONTESTANTS } from '../contestants/index.js';
import type { Measure, Row } from '../measure.interface.js';
import { FAULTS, type FaultName, twoLeadersMs } from './fault-contest.js';

const ID = 'faults';
const FIGURE = 'two leaders at once';
const ROUNDS = 5;
const FOLLOWER_HOSTS = 2;

interface Sample {
  readonly contestant: Contestant;
  readonly fault: FaultName;
  /** Null where nobody took over. */
  readonly ms: number | null;
}

export const faults: Measure = {
  id: ID,
  title: 'Two leaders at once',
  how:
    'Three candidates in three processes, each connected to Redis through a proxy of its own; a ttl of 2 s. The leaders have ' +
    'processes of their own, the others share two with those of the other elections, which are held at the same time. The process of ' +
    'the leader is stopped for 3 s (`SIGSTOP`) and resumed; or its connection is cut for 4 s, or is silent for so long: nothing ' +
    'arrives, and nothing is closed. Each process asks its candidate every millisecond whether it leads, until 2 s after the ' +
    'end of the fault; the figure is for how long two said "yes". A process that is stopped says nothing. Where a library tells ' +
    'of an error at which the process is to exit, it counts as not leading from there on. Left out are the few elections in which nobody took over in time.',
  goals: [{ figure: FIGURE, statistic: 'max', atMost: 0 }],
  async run(context) {
    const contestants = CONTESTANTS.filter(({ id }) => context.contestants.includes(id));
    const rounds = context.quick ? 1 : ROUNDS;
    const samples = await withServers(1, async (servers) => {
      const all: Sample[] = [];
      for (let number = 1; number <= rounds; number += 1) {
        context.say(`round ${number} of ${rounds}`);
        for (const server of servers) all.push(...(await round(contestants, server)));
      }
      return all;
    });
    return contestants
      .flatMap((contestant) =>
        FAULT_NAMES.map((fault): Row => {
          const its = samples.filter((one) => one.contestant === contestant && one.fault === fault);
          return {
            measure: ID,
            contestant: contestant.id,
            case: fault,
            figure: FIGURE,
            unit: 'ms',
            samples: its.map(({ ms }) => ms).filter((ms) => ms !== null),
          };
        }),
      )
      .filter(({ samples: its }) => its.length > 0);
  },
};

const FAULT_NAMES = Object.keys(FAULTS) as readonly FaultName[];

/** All contestants and faults at the same time, since each does nothing but wait most of it. */
async function round(
  contestants: readonly Contestant[],
  server: RedisServer,
): Promise<readonly Sample[]> {
  const leaderHosts = contestants.length * FAULT_NAMES.length;
  return withHosts(leaderHosts + FOLLOWER_HOSTS, async (hosts) => {
    await Promise.all(hosts.map((host) => host.call('watch')));
    const followers = hosts.slice(leaderHosts);
    const contests = contestants.flatMap((contestant) =>
      FAULT_NAMES.map((fault) => ({ contestant, fault, server })),
    );
    return Promise.all(
      contests.map(async (contest, index) => {
        const ms = await twoLeadersMs({
          ...contest,
          hosts: [...hosts.slice(index, index + 1), ...followers],
        });
        return { ...contest, ms };
      }),
    );
  });
}
