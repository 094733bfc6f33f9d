/** The rules that `lib/election` keeps. */
import type { Control } from './control.interface.js';

const CAMPAIGN = 'lib/election/campaign.ts';
const CANDIDATE = 'lib/election/candidate.ts';
const KEEPER = 'lib/election/lease-keeper.ts';
const LEADERSHIP = 'lib/election/leadership.ts';

export const ELECTION_CONTROLS: readonly Control[] = [
  {
    rules: [1],
    off: 'a grant counts from when its answer came',
    edits: [
      {
        file: CAMPAIGN,
        find: 'this.listener.won({ epoch: reply.epoch, attempt, sentAt });',
        replace: 'this.listener.won({ epoch: reply.epoch, attempt, sentAt: time.now() });',
      },
    ],
    caughtBy: { test: 'test/unit/election/acquire.test.ts', name: 'rule 1' },
  },
  {
    rules: [1],
    off: 'a renewal counts from when its answer came',
    edits: [
      {
        file: KEEPER,
        find: 'this.leadership.extend(sentAt + config.leaseTtlMs',
        replace: 'this.leadership.extend(time.now() + config.leaseTtlMs',
      },
    ],
    caughtBy: { family: 'mixed' },
  },
  {
    rules: [1],
    off: 'there is no safety margin',
    edits: [
      {
        file: CANDIDATE,
        find: 'sentAt + config.leaseTtlMs - config.safetyMarginMs;',
        replace: 'sentAt + config.leaseTtlMs;',
      },
      {
        file: KEEPER,
        find: 'sentAt + config.leaseTtlMs - config.safetyMarginMs)',
        replace: 'sentAt + config.leaseTtlMs)',
      },
    ],
    caughtBy: { family: 'clocks' },
  },
  {
    rules: [2],
    off: 'only the monotonic clock counts, which stands still while the machine sleeps',
    edits: [
      {
        file: 'lib/election/lease-time.ts',
        find: 'return monotonicMs + this.unseenMs;',
        replace: 'return monotonicMs;',
      },
    ],
    caughtBy: { family: 'clocks' },
  },
  {
    rules: [2],
    off: 'only the wall clock counts, which somebody may set back',
    edits: [
      {
        file: 'lib/election/lease-time.ts',
        find: 'return monotonicMs + this.unseenMs;',
        replace: 'return this.clock.wallMs();',
      },
    ],
    caughtBy: { family: 'clocks' },
  },
  {
    rules: [3],
    off: 'isLeader is a flag that timers and answers change',
    edits: [
      {
        file: LEADERSHIP,
        find: 'return this.endedBy === null && this.time.now() < this.validUntil;',
        replace: 'return this.endedBy === null;',
      },
    ],
    caughtBy: { family: 'processes' },
  },
  {
    rules: [4],
    off: 'no timer at the deadline',
    edits: [
      {
        file: KEEPER,
        find: 'if (!this.stillValid()) return;\n      // Extended',
        replace: 'return;\n      // Extended',
      },
    ],
    caughtBy: { test: 'test/unit/election/renew.test.ts', name: 'rule 4' },
  },
  {
    rules: [6],
    off: 'the holder is the node id, without a random part',
    edits: [
      {
        file: 'lib/options/resolve-options.ts',
        find: "holder: `${nodeId}#${randomBytes(8).toString('hex')}`,",
        replace: 'holder: nodeId,',
      },
    ],
    caughtBy: { test: 'test/unit/options/inherit-options.test.ts', name: '' },
  },
  {
    rules: [8],
    off: 'a grant that comes after its own deadline is used',
    edits: [
      {
        file: CAMPAIGN,
        find: 'if (time.now() >= sentAt + config.leaseTtlMs - config.safetyMarginMs) return 0;',
        replace: '',
      },
    ],
    caughtBy: { test: 'test/unit/election/acquire.test.ts', name: 'S-11' },
  },
  {
    rules: [8],
    off: 'a renewal that is answered after the end revives the leadership',
    edits: [
      { file: LEADERSHIP, find: 'if (!this.isValid) return false;', replace: '' },
      {
        file: KEEPER,
        find: 'if (!reply.renewed) this.context.sawEpoch(reply.seenEpoch);\n    if (!this.stillValid()) return false;',
        replace: 'if (!reply.renewed) this.context.sawEpoch(reply.seenEpoch);',
      },
    ],
    caughtBy: { family: 'processes' },
  },
  {
    rules: [10],
    off: 'one failed renewal ends the leadership',
    edits: [
      {
        file: KEEPER,
        find: 'this.failing = true;',
        replace: "this.lose('store-lost');",
      },
    ],
    caughtBy: { test: 'test/unit/election/renew.test.ts', name: 'T-08' },
  },
  {
    rules: [11],
    off: 'a refused renewal is tried again until the deadline',
    edits: [
      {
        file: KEEPER,
        find: "this.lose(reply.because === 'taken' ? 'taken' : 'store-lost');\n      return false;",
        replace: "throw new Error('refused');",
      },
    ],
    caughtBy: { test: 'test/unit/election/renew.test.ts', name: 'rule 11' },
  },
  {
    rules: [18],
    off: 'a follower sleeps longer than what is left of the lease',
    edits: [
      {
        file: CAMPAIGN,
        find: 'return waitMs + PROBE_DELAY_MS + this.context.random() * PROBE_JITTER_MS;',
        replace: 'return 2 * waitMs + PROBE_DELAY_MS;',
      },
    ],
    caughtBy: {
      test: 'test/unit/election/acquire.test.ts',
      name: 'L-09: a lease that a dead leader left',
    },
  },
  {
    rules: [19],
    off: 'a release wakes nobody',
    edits: [
      {
        file: CANDIDATE,
        find: "freed(): void {\n    if (this.role.name === 'campaigning') this.role.campaign.wake();",
        replace: 'freed(): void {',
      },
    ],
    caughtBy: { family: 'processes' },
  },
  {
    rules: [20],
    off: 'a connection that is back wakes nobody',
    edits: [
      {
        file: CANDIDATE,
        find: 'reconnected(): void {\n    this.freed();',
        replace: 'reconnected(): void {',
      },
    ],
    caughtBy: { test: 'test/unit/election/followers.test.ts', name: 'rule 20' },
  },
  {
    rules: [21],
    off: 'the lease is released before the work has ended',
    edits: [
      {
        file: CANDIDATE,
        find: 'const inTime = await this.within(drainTimeoutMs, this.runs.idle(leadership));',
        replace: 'const inTime = drainTimeoutMs > 0;',
      },
    ],
    caughtBy: { test: 'test/unit/election/ending.test.ts', name: 'rule 21: admits no new work' },
  },
  {
    rules: [21],
    off: 'the lease is released although work still runs when the drain time is up',
    edits: [
      {
        file: CANDIDATE,
        find: 'if (inTime || (await',
        replace: 'if (!inTime || (await',
      },
    ],
    caughtBy: { test: 'test/unit/election/ending.test.ts', name: 'rule 21: work that runs on' },
  },
  {
    rules: [22],
    off: 'a grant that arrives while it shuts down is kept',
    edits: [
      {
        file: CAMPAIGN,
        find: 'return !this.over && this.mayAcquire();',
        replace: 'return true;',
      },
    ],
    caughtBy: { test: 'test/unit/election/ending.test.ts', name: 'rule 22' },
  },
];
