import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';

import type { ElectionConfig } from '../election/election-config.interface.js';
import type {
  ElectionOptions,
  FeatureElectionOptions,
  LeaderElectionOptions,
} from './leader-election-options.interface.js';
import { resolveTiming } from './timing.js';

export const DEFAULT_ELECTION = 'default';
const NO_METADATA = {};

export function defaultNodeId(): string {
  return `${hostname()}:${process.pid}:${randomBytes(3).toString('hex')}`;
}

/** Validated options with all defaults. The holder is new each time, also for an equal node id (rule 6). */
export function resolveElection(options: ElectionOptions, nodeId: string): ElectionConfig {
  const timing = resolveTiming(options);
  // Without a spread, which gives each object a shape of its own: 400 bytes for each election.
  return {
    leaseTtlMs: timing.leaseTtlMs,
    renewIntervalMs: timing.renewIntervalMs,
    safetyMarginMs: timing.safetyMarginMs,
    commandTimeoutMs: timing.commandTimeoutMs,
    drainTimeoutMs: timing.drainTimeoutMs,
    election: options.name ?? DEFAULT_ELECTION,
    by: {
      holder: `${nodeId}#${randomBytes(8).toString('hex')}`,
      nodeId,
      metadata: options.metadata === undefined ? NO_METADATA : { ...options.metadata },
    },
    holdOff: options.holdOff ?? 'auto',
    minReplicaAcks: options.minReplicaAcks ?? 0,
    campaign: options.campaign ?? true,
  };
}

/** What a feature leaves out is as in the root; durations only as long as both have the same lease. */
export function inheritFromRoot(
  root: LeaderElectionOptions,
  feature: FeatureElectionOptions,
): ElectionOptions {
  const { drainTimeoutMs, holdOff, minReplicaAcks, campaign, metadata } = root;
  const { leaseTtlMs, renewIntervalMs, safetyMarginMs, commandTimeoutMs } = root;
  const timing =
    feature.leaseTtlMs === undefined
      ? { leaseTtlMs, renewIntervalMs, safetyMarginMs, commandTimeoutMs }
      : {};
  return {
    drainTimeoutMs,
    holdOff,
    minReplicaAcks,
    campaign,
    metadata,
    ...timing,
    ...withoutUndefined(feature),
  };
}

/** What was really given: undefined means left out. */
export function withoutUndefined(options: FeatureElectionOptions): FeatureElectionOptions {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return { name: options.name, ...Object.fromEntries(given) };
}
