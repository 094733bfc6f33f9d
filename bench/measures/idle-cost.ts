/** What candidates cost while nothing happens. */
import { RedisServer } from '../../test/support/redis/redis-server.js';
import { CONTESTANTS } from '../contestants/index.js';
import { idleCase, type IdleStep, IdleSubject } from '../load/idle-subject.js';
import { pass } from '../load/pass.js';
import type { Measure } from '../measure.interface.js';

const ID = 'idle-cost';
/** The shortest that all can be driven with: from 1.25 s down redlock-universal extends without a pause. */
const TTL_MS = 2000;
/** A poller takes over within that time where it tries that often. */
const EQUAL_TAKE_OVER_MS = 5;

interface Step extends IdleStep {
  /** Whether all contestants are measured side by side, each on a Redis of its own. */
  readonly sideBySide: boolean;
}

interface Plan {
  /** How many ttls to look at, and for the CPU. */
  readonly windows: number;
  readonly cpuWindows: number;
  readonly steps: readonly Step[];
}

const ALONE = { candidates: 1, cpu: true, sideBySide: true };

const FULL: Plan = {
  windows: 5,
  cpuWindows: 5,
  steps: [
    ALONE,
    { candidates: 3, cpu: false, sideBySide: true },
    { candidates: 10, cpu: false, sideBySide: true },
    { candidates: 100, cpu: true, sideBySide: false },
    { candidates: 1000, cpu: true, sideBySide: false },
    { candidates: 3, cpu: false, sideBySide: false, retryEveryMs: EQUAL_TAKE_OVER_MS },
    { candidates: 100, cpu: true, sideBySide: false, retryEveryMs: EQUAL_TAKE_OVER_MS },
  ],
};

const QUICK: Plan = {
  windows: 2,
  cpuWindows: 1,
  steps: [
    ALONE,
    { candidates: 3, cpu: false, sideBySide: true },
    { candidates: 100, cpu: true, sideBySide: true },
    { candidates: 3, cpu: false, sideBySide: true, retryEveryMs: EQUAL_TAKE_OVER_MS },
  ],
};

export const idleCost: Measure = {
  id: ID,
  title: 'Idle cost',
  how: `Candidates of one election while nothing happens, with a ttl of ${TTL_MS / 1000} s, on a Redis of their own: one leads,
a ttl has passed since, and the next ${FULL.windows} ttls (in the short form ${QUICK.windows}) are looked at one by one. Commands are what
clients send, counted by \`MONITOR\`: Redis' own statistics also count what scripts call. Bytes are both directions,
by Redis' statistics, without those of the measuring connections. CPU is that of the Redis process, over other
ttls, without \`MONITOR\`. A follower's part is what all cost, less what a single candidate, the leader, costs alone,
divided by the followers; a single candidate's CPU has in it what an idle Redis spends. Each contestant tries as
often as its README says or as is its default, and once more, for an equal take-over time, each
${EQUAL_TAKE_OVER_MS} ms, which is what a poller needs to take over as soon; this library does not poll, so that both are the same
for it. Candidates share processes of up to 500, each with connections of its own. redis-semaphore, which tries each
10 ms, is left out where that is more than one Redis can answer; many pollers each 5 ms are counted as far as they get.`,
  goals: [
    { figure: 'commands per follower and ttl', statistic: 'median', atMost: 1.2 },
    { figure: 'commands per renewal of the leader', statistic: 'median', atMost: 1 },
  ],
  async run(context) {
    const { steps, ...plan } = context.quick ? QUICK : FULL;
    const asked = CONTESTANTS.filter(({ id }) => context.contestants.includes(id));
    const servers = new Map<string, RedisServer>();
    try {
      for (const { id } of asked) servers.set(id, await RedisServer.start());
      // Before that nobody leads of ours, since Redis may have lost data. It counts in whole seconds.
      await pass(TTL_MS + 2000);
      const subjects = [...servers].map(
        ([id, server]) => new IdleSubject(id, server, { ttlMs: TTL_MS, ...plan }),
      );
      for (const step of steps) {
        context.say(idleCase(step));
        if (step.sideBySide) await Promise.all(subjects.map((subject) => subject.measure(step)));
        else for (const subject of subjects) await subject.measure(step);
      }
      return subjects.flatMap(({ rows }) => rows.map((row) => ({ measure: ID, ...row })));
    } finally {
      await Promise.all([...servers.values()].map((server) => server.stop()));
    }
  },
};
