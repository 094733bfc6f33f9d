import type { Clock } from '../../election/clock.interface.js';
import { LeaseTime } from '../../election/lease-time.js';
import type {
  AcquireReply,
  AcquireRequest,
  InspectRequest,
  LeaseSight,
  LeaseWatcher,
  ReleaseRequest,
  RenewReply,
  RenewRequest,
} from '../../election/lease-store.interface.js';
import { SystemClock } from '../../system-clock.js';
import type { QuorumMember, RaiseEpochRequest } from '../quorum/quorum-member.interface.js';
import * as rules from './lease-rules.js';

/**
 * Keeps leases in this process: for tests, and for several applications in one process, which share one instance.
 * Across processes it elects one leader in each of them; use Redis there.
 *
 * @example
 * LeaderElectionModule.forRoot({ store: new InMemoryLeaseStore() })
 *
 * @publicApi
 */
export class InMemoryLeaseStore implements QuorumMember {
  private readonly elections = new Map<string, rules.StoredElection>();
  private readonly watchers = new Map<string, Set<LeaseWatcher>>();
  private readonly server: () => rules.ServerMoment;

  /** @internal The options are for tests of this package. */
  constructor(options: { clock?: Clock; server?: () => rules.ServerMoment } = {}) {
    this.server = options.server ?? thisProcess(options.clock ?? new SystemClock());
  }

  async acquire(request: AcquireRequest): Promise<AcquireReply> {
    return rules.acquire(this.stored(request.election), request, this.server());
  }

  async renew(request: RenewRequest): Promise<RenewReply> {
    return rules.renew(this.stored(request.election), request, this.server());
  }

  async release(request: ReleaseRequest): Promise<boolean> {
    const released = rules.release(this.stored(request.election), request, this.server());
    if (released && request.epoch > 0) queueMicrotask(() => this.tellFreed(request.election));
    return released;
  }

  /** For a quorum of several stores. */
  async raiseEpoch(request: RaiseEpochRequest): Promise<boolean> {
    return rules.raiseEpoch(this.stored(request.election), request, this.server());
  }

  async inspect(request: InspectRequest): Promise<LeaseSight> {
    return rules.inspect(this.stored(request.election), request, this.server());
  }

  watch(election: string, watcher: LeaseWatcher): () => void {
    const watchers = this.watchers.get(election) ?? new Set();
    this.watchers.set(election, watchers.add(watcher));
    return () => void watchers.delete(watcher);
  }

  /** Forgets everything, as a flushed server does. For tests. */
  flush(): void {
    this.elections.clear();
  }

  /** Does nothing: an instance may be shared by several applications, and holds no resources. */
  async close(): Promise<void> {}

  private stored(election: string): rules.StoredElection {
    const stored = this.elections.get(election) ?? { lease: null, record: null };
    this.elections.set(election, stored);
    return stored;
  }

  private tellFreed(election: string): void {
    for (const watcher of this.watchers.get(election) ?? []) watcher.freed();
  }
}

/** A server that never restarts while anyone can ask it, so nobody ever has to wait for what it lost. */
function thisProcess(clock: Clock): () => rules.ServerMoment {
  const time = new LeaseTime(clock);
  const offsetMs = clock.wallMs() - time.now();
  return () => ({ id: 'this-process', nowMs: time.now() + offsetMs, upMs: Infinity });
}
