/** Short words for the events of a history. */
import type { LossReason } from '../../../lib/election/election.errors.js';
import type { HistoryEvent, LeadershipChange } from '../../../lib/index.js';

export const granted = (node: string, at: number, epoch: number): HistoryEvent => ({
  kind: 'granted',
  node,
  at,
  epoch,
});

export const ended = (node: string, at: number, epoch: number, reason?: string): HistoryEvent => ({
  kind: 'ended',
  node,
  at,
  epoch,
  reason,
});

export const unreleased = (node: string, at: number): HistoryEvent => ({
  kind: 'unreleased',
  node,
  at,
});

export const believes = (node: string, at: number, until: number, epoch: number): HistoryEvent => ({
  kind: 'belief',
  node,
  at,
  until,
  epoch,
});

export const run = (node: string, at: number, epoch: number): HistoryEvent => ({
  kind: 'run',
  node,
  at,
  epoch,
});

export const gone = (node: string, at: number): HistoryEvent => ({ kind: 'gone', node, at });

export const changed = (node: string, at: number, change: LeadershipChange): HistoryEvent => ({
  kind: 'changed',
  node,
  at,
  change,
});

/** Values of `leadership$`. */
const base = { isLeader: false, epoch: null, leader: null, since: 0, reason: null } as const;
const leaderOf = (epoch: number) => ({ nodeId: 'A', epoch, metadata: {} });

export const leads = (epoch: number): LeadershipChange => ({
  ...base,
  state: 'leader',
  isLeader: true,
  epoch,
  leader: leaderOf(epoch),
});

export const follows = (epoch: number): LeadershipChange => ({
  ...base,
  state: 'follower',
  leader: leaderOf(epoch),
});

export const campaigns = (reason: LossReason | null = null): LeadershipChange => ({
  ...base,
  state: 'candidate',
  reason,
});

export const drains = (epoch: number, reason: LossReason | null): LeadershipChange => ({
  ...base,
  state: 'draining',
  leader: leaderOf(epoch),
  reason,
});

export const stops = (reason: LossReason | null = null): LeadershipChange => ({
  ...base,
  state: 'stopped',
  reason,
});
