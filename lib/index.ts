/** The public names, nothing else. */
export { LeaderElectionModule, type LeaderElectionAsyncOptions } from './leader-election.module.js';
export { type CurrentLeadership, LeaderService } from './leader.service.js';
export { getLeaderToken, InjectLeader } from './inject-leader.decorator.js';
export { OnlyLeader } from './work/only-leader.decorator.js';
export type { OnlyLeaderOptions, Otherwise } from './work/only-leader.rule.js';
export { LeaderGuard } from './work/leader.guard.js';
export {
  isNotLeaderException,
  NotLeaderException,
  type NotLeaderDetails,
} from './work/not-leader.exception.js';
export {
  DuplicateElectionError,
  NoLeaderRunError,
  UnboundGuardError,
  UnknownElectionError,
} from './work/work.errors.js';
export type {
  ElectionOptions,
  FeatureElectionOptions,
  LeaderElectionOptions,
} from './options/leader-election-options.interface.js';
export {
  LeadershipLostError,
  LeaseStoreError,
  type LossReason,
  type StoreErrorKind,
} from './election/election.errors.js';
export type {
  ElectionEvents,
  ElectionListener,
  ElectionState,
  LeadershipChange,
  StoreOperation,
} from './election/election-events.interface.js';
export type {
  AcquireReply,
  AcquireRequest,
  HoldOff,
  InspectRequest,
  LeaderInfo,
  LeaseHolder,
  LeaseSight,
  LeaseStore,
  LeaseWatcher,
  RefusalCause,
  ReleaseRequest,
  RenewReply,
  RenewRequest,
} from './election/lease-store.interface.js';
export { InMemoryLeaseStore } from './stores/memory/in-memory-lease-store.js';
export { QuorumLeaseStore } from './stores/quorum/quorum-lease-store.js';
export type { QuorumMember, RaiseEpochRequest } from './stores/quorum/quorum-member.interface.js';
export { RedisLeaseStore, type RedisLeaseStoreOptions } from './stores/redis/redis-lease-store.js';
export type { RedisSource } from './stores/redis/redis-client.js';
export type { HistoryEvent } from './testing/history.js';
export type { Expectations, HistoryRule, LedWithin, Violation } from './testing/history-rules.js';
export { checkHistory, firstLedAfter } from './testing/history-checker.js';
export { historyRecorder, recordBelief, sharedNowMs } from './testing/history-recorder.js';
