import { describe, expect, it } from '@jest/globals';

import { InMemoryLeaseStore, LeaderElectionModule } from '../../../lib/index.js';
import {
  defaultNodeId,
  inheritFromRoot,
  resolveElection,
} from '../../../lib/options/resolve-options.js';
import { resolveTiming } from '../../../lib/options/timing.js';

const root = {
  store: new InMemoryLeaseStore(),
  name: 'main',
  leaseTtlMs: 60_000,
  renewIntervalMs: 15_000,
  safetyMarginMs: 6_000,
  commandTimeoutMs: 5_000,
  drainTimeoutMs: 30_000,
  holdOff: 'always',
  campaign: false,
  metadata: { url: 'http://here' },
} as const;

describe('a feature', () => {
  it('is as the root where it says nothing', () => {
    const config = resolveElection(inheritFromRoot(root, { name: 'reports' }), 'node');
    expect(config).toMatchObject({
      election: 'reports',
      leaseTtlMs: 60_000,
      renewIntervalMs: 15_000,
      safetyMarginMs: 6_000,
      commandTimeoutMs: 5_000,
      drainTimeoutMs: 30_000,
      holdOff: 'always',
      campaign: false,
      by: { nodeId: 'node', metadata: { url: 'http://here' } },
    });
  });

  it('goes before the root with what it says', () => {
    const options = inheritFromRoot(root, { name: 'reports', campaign: true, metadata: {} });
    expect(options).toMatchObject({ campaign: true, metadata: {}, holdOff: 'always' });
  });

  it('takes undefined for left out', () => {
    const options = inheritFromRoot(root, { name: 'reports', holdOff: undefined });
    expect(options.holdOff).toBe('always');
  });

  it('derives its durations from a lease of its own', () => {
    const timing = resolveTiming(inheritFromRoot(root, { name: 'reports', leaseTtlMs: 3_000 }));
    expect(timing).toEqual({
      leaseTtlMs: 3_000,
      renewIntervalMs: 990,
      safetyMarginMs: 600,
      commandTimeoutMs: 500,
      drainTimeoutMs: 30_000,
    });
  });

  it('may have a renewal interval that fits the lease of the root, whatever the default lease is', () => {
    expect(() =>
      LeaderElectionModule.forFeature({ name: 'reports', renewIntervalMs: 20_000 }),
    ).not.toThrow();
    const timing = resolveTiming(
      inheritFromRoot(root, { name: 'reports', renewIntervalMs: 20_000 }),
    );
    expect(timing).toMatchObject({ leaseTtlMs: 60_000, renewIntervalMs: 20_000 });
  });

  it('is refused at once where its own durations cannot fit', () => {
    expect(() =>
      LeaderElectionModule.forFeature({ name: 'r', leaseTtlMs: 1_000, renewIntervalMs: 900 }),
    ).toThrow('three renewals must fit in one lease');
    expect(() => LeaderElectionModule.forFeature({ name: 'r', renewIntervalMs: 0 })).toThrow(
      '`renewIntervalMs`',
    );
  });
});

describe('identity', () => {
  it('is another one for each election and process start, also with an equal nodeId', () => {
    const holders = [1, 2, 3].map(() => resolveElection({}, 'pod').by.holder);
    expect(new Set(holders).size).toBe(3);
    for (const holder of holders) expect(holder).toMatch(/^pod#[0-9a-f]{16}$/);
  });

  it('says by default where it runs, and differs between two applications of one process', () => {
    expect(defaultNodeId()).toContain(`:${process.pid}:`);
    expect(defaultNodeId()).not.toBe(defaultNodeId());
  });
});
