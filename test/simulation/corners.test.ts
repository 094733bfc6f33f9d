/** What is not promised: that each of these is real, and that what is promised in its place holds. */
import { describe, expect, it } from '@jest/globals';

import type { Fault, Plan } from './plan.js';
import { runPlan } from './run-plan.js';

const PLAN: Plan = {
  seed: 1,
  holdOff: 'auto',
  marginMs: 200,
  candidates: [
    { rate: 0, startAt: 0 },
    { rate: 0, startAt: 1500 },
  ],
  servers: [{ rate: 0, aheadMs: 0 }],
  replicas: 0,
  minReplicaAcks: 0,
  workEveryMs: 0,
  faults: [],
};

function fault(kind: Fault['kind'], at: number, rest: Partial<Fault> = {}): Fault {
  return { kind, at, forMs: 0, who: 0, member: 0, amount: 0, ...rest };
}

async function brokenRules(plan: Partial<Plan>, lifted = true): Promise<string[]> {
  const { violations } = await runPlan({ ...PLAN, ...plan }, { lifted });
  return [...new Set(violations.map(({ rule }) => rule))];
}

describe('a store that is flushed just as a candidate joins that never saw an election', () => {
  const faults = [fault('flush', 1490)];

  it('has two leaders with holdOff "auto"', async () => {
    expect(await brokenRules({ faults })).toContain('one-leader');
  });

  it('has one with "always"', async () => {
    expect(await brokenRules({ faults, holdOff: 'always' })).toEqual([]);
  });

  it('is left out of the random runs with "auto"', async () => {
    expect(await brokenRules({ faults: [fault('flush', 1)] }, false)).toEqual([]);
    expect(await brokenRules({ faults }, false)).toEqual([]);
  });
});

describe('the first grant of an election, lost by a failover within the replication delay', () => {
  const plan = {
    replicas: 1,
    candidates: [
      { rate: 0, startAt: 0 },
      { rate: 0, startAt: 100 },
    ],
    faults: [fault('lag', 0, { forMs: 1000, amount: 999 }), fault('failover', 30, { forMs: 100 })],
  };

  it.each(['auto', 'always'] as const)(
    'makes no second leader with holdOff "%s"',
    async (holdOff) => {
      expect(await brokenRules({ ...plan, holdOff })).toEqual([]);
    },
  );
});

describe('a deposed primary that the leader still reaches', () => {
  const plan = {
    replicas: 1,
    holdOff: 'always' as const,
    // The first candidate stays with it, the second one finds the new primary.
    faults: [fault('split', 3000, { forMs: 5000, amount: 0b01 })],
  };

  it('keeps its leader beside the new one', async () => {
    expect(await brokenRules(plan)).toContain('one-leader');
  });

  it('has none any more where all replicas have to confirm', async () => {
    expect(await brokenRules({ ...plan, minReplicaAcks: 1 })).toEqual([]);
  });
});

describe('the clock of a server', () => {
  it('ends a lease early when it is set forward', async () => {
    // The leader is cut off, and the other one woken before the lease is over.
    const faults = [
      fault('cut-requests', 2400, { forMs: 1000 }),
      fault('set-forward', 2500, { amount: 200 }),
      fault('false-news', 2600, { who: 1 }),
    ];
    expect(await brokenRules({ faults, holdOff: 'always' })).toContain('one-leader');
  });

  it('repeats epochs when it is set back, all data is lost and nobody remembers', async () => {
    const faults = [
      fault('set-back', 3000, { amount: 999 }),
      fault('crash', 3100, { forMs: 500, who: 0 }),
      fault('crash', 3100, { forMs: 500, who: 1 }),
      fault('restart-empty', 3200, { forMs: 300 }),
    ];
    expect(await brokenRules({ faults, holdOff: 'always' })).toContain('epochs-grow');
    expect(await brokenRules({ faults, holdOff: 'always' }, false)).toEqual([]);
  });
});
