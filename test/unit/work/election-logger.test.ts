import { beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';

import { ElectionLogger } from '../../../lib/events/election-logger.js';
import { LeaseStoreError, type ElectionState, type StoreErrorKind } from '../../../lib/index.js';
import { resolveElection } from '../../../lib/options/resolve-options.js';

type Line = readonly [level: string, text: string];

class KeepingLogger extends Logger {
  readonly kept: Line[] = [];

  override log(text: string) {
    this.kept.push(['log', text]);
  }
  override warn(text: string) {
    this.kept.push(['warn', text]);
  }
  override error(text: string) {
    this.kept.push(['error', text]);
  }
  override debug(text: string) {
    this.kept.push(['debug', text]);
  }
}

let logger: KeepingLogger;
let events: ElectionLogger;

beforeEach(() => {
  logger = new KeepingLogger();
  events = new ElectionLogger(logger, (election) => resolveElection({ name: election }, 'pod-1'));
});

describe('ElectionLogger', () => {
  it('O-10: says at the start which election, who, and with which durations', () => {
    events.started({ election: 'billing', campaign: true });
    events.started({ election: 'reports', campaign: false });
    expect(logger.kept).toEqual([
      [
        'log',
        'Election "billing": pod-1 takes part (leaseTtlMs 10000, renewIntervalMs 3300, safetyMarginMs 2000).',
      ],
      [
        'log',
        'Election "reports": pod-1 only watches (leaseTtlMs 10000, renewIntervalMs 3300, safetyMarginMs 2000).',
      ],
    ]);
  });

  it('O-10: says each transition in one line, with its epoch', () => {
    changed('follower', 4);
    changed('candidate', null);
    changed('leader', 5);
    changed('draining', null);
    events.ended({ election: 'x', epoch: 5, reason: 'shutdown', heldForMs: 1234.5 });
    changed('stopped', null);
    expect(logger.kept).toEqual([
      ['log', 'Election "x": following pod-2, which leads with epoch 4.'],
      ['log', 'Election "x": leading, epoch 5.'],
      ['log', 'Election "x": draining (shutdown); no new work is admitted.'],
      ['log', 'Election "x": no longer leading, epoch 5 ended after 1235 ms (shutdown).'],
    ]);
  });

  it.each([
    ['released', 'log'],
    ['shutdown', 'log'],
    ['expired', 'warn'],
    ['taken', 'warn'],
    ['store-lost', 'warn'],
  ] as const)('O-02: says that a leadership ended by %s at level %s', (reason, level) => {
    events.ended({ election: 'x', epoch: 5, reason, heldForMs: 10 });
    expect(logger.kept).toEqual([[level, expect.stringContaining(`(${reason})`)]]);
  });

  it('says an unreachable store once for all elections and retries, and once that it answers again', () => {
    for (const election of ['x', 'y', 'x', 'y']) failed(election, 'unreachable', 'no route');
    events.storeAnswered({ election: 'x' });
    events.storeAnswered({ election: 'y' });
    expect(logger.kept).toEqual([
      [
        'warn',
        'The lease store cannot be reached (acquire: no route). Nothing leader-only starts here without a valid lease; ' +
          'trying again until it answers.',
      ],
      ['log', expect.stringMatching(/^The lease store answers again after \d+ ms\.$/)],
    ]);
  });

  it('says it again when it happens again', () => {
    failed('x', 'unreachable', 'no route');
    events.storeAnswered({ election: 'x' });
    failed('x', 'unreachable', 'no route');
    expect(levels()).toEqual(['warn', 'log', 'warn']);
  });

  it('calls for a person where only a person can help, once for each trouble', () => {
    failed('x', 'misconfigured', 'NOPERM no permission');
    failed('x', 'misconfigured', 'NOPERM no permission');
    failed('x', 'unavailable', 'LOADING');
    failed('y', 'misconfigured', 'NOPERM no permission');
    expect(logger.kept).toEqual([
      ['error', 'Election "x": the lease store refuses to acquire: NOPERM no permission'],
      ['warn', 'Election "x": the lease store refuses to acquire: LOADING'],
      ['error', 'Election "y": the lease store refuses to acquire: NOPERM no permission'],
    ]);
  });

  it('says why everybody waits, once for each cause until somebody leads', () => {
    const wait = () => events.waiting({ election: 'x', because: 'hold-off', waitMs: 5_000 });
    wait();
    wait();
    events.granted({ election: 'x', epoch: 1, latencyMs: 1 });
    wait();
    events.waiting({ election: 'x', because: 'vanished', waitMs: 5_000 });
    expect(levels()).toEqual(['log', 'log', 'log']);
    expect(logger.kept[0]?.[1]).toMatch(
      /^Election "x": nobody leads until \d{4}-\d\d-\d\dT.*Z, since Redis may have lost data/,
    );
  });

  it('says a notice of the store once, whichever election hears of it', () => {
    events.notice({ election: 'x', text: 'Redis hides its identity.' });
    events.notice({ election: 'y', text: 'Redis hides its identity.' });
    expect(logger.kept).toEqual([['warn', 'Election "x": Redis hides its identity.']]);
  });

  it('says renewals and skips at debug level only, and nothing of what throws', () => {
    events.renewed({ election: 'x', epoch: 5, latencyMs: 1.26 });
    events.skipped({ election: 'x', handler: 'Jobs.run', outcome: 'skip' });
    events.skipped({ election: 'x', handler: null, outcome: 'skip' });
    events.skipped({ election: 'x', handler: 'Jobs.run', outcome: 'throw' });
    expect(logger.kept).toEqual([
      ['debug', 'Election "x": renewed epoch 5 in 1.3 ms.'],
      ['debug', 'Election "x": skipped Jobs.run, not the leader.'],
      ['debug', 'Election "x": skipped runIfLeader, not the leader.'],
    ]);
  });

  it('says which lease would have survived a blocked loop', () => {
    events.loopBlocked({ election: 'x', blockedMs: 700, neededTtlMs: 2_100, lost: false });
    events.loopBlocked({ election: 'x', blockedMs: 900, neededTtlMs: 2_700, lost: true });
    expect(logger.kept).toEqual([
      ['warn', expect.stringMatching(/leadership was kept\. A leaseTtlMs of 2100 covers/)],
      ['warn', expect.stringMatching(/leadership was lost\. A leaseTtlMs of 2700 covers/)],
    ]);
  });

  it('says that work outlived the drain, and what becomes of the lease', () => {
    events.drainTimedOut({ election: 'x', epoch: 7, leaseTtlMs: 10_000 });
    expect(logger.kept).toEqual([
      ['warn', expect.stringContaining('not released but left to run out, within 10000 ms')],
    ]);
  });
});

function changed(state: ElectionState, epoch: number | null): void {
  const leader = epoch === null ? null : { nodeId: 'pod-2', epoch, metadata: {} };
  const isLeader = state === 'leader';
  const reason = state === 'draining' || state === 'stopped' ? ('shutdown' as const) : null;
  events.changed({
    election: 'x',
    change: { state, isLeader, epoch: isLeader ? epoch : null, leader, since: 0, reason },
  });
}

function failed(election: string, kind: StoreErrorKind, message: string): void {
  events.storeFailed({ election, operation: 'acquire', error: new LeaseStoreError(kind, message) });
}

function levels(): readonly string[] {
  return logger.kept.map(([level]) => level);
}
