import { InMemoryLeaseStore, LeaseStoreError, type LeaseStore } from '../../../lib/index.js';
import type {
  AcquireReply,
  AcquireRequest,
  InspectRequest,
  LeaseSight,
  LeaseWatcher,
  ReleaseRequest,
  RenewReply,
  RenewRequest,
} from '../../../lib/election/lease-store.interface.js';

type Health = 'up' | 'down' | 'silent';
type Operation = 'acquire' | 'renew' | 'release' | 'inspect';

/** A store in memory that a test takes away: `down` rejects, `silent` never answers. */
export class FaultyStore implements LeaseStore {
  health: Health = 'up';
  /** Only these are affected. */
  affects: readonly Operation[] = ['acquire', 'renew', 'release', 'inspect'];
  readonly calls: Operation[] = [];

  constructor(private readonly store = new InMemoryLeaseStore()) {}

  acquire(request: AcquireRequest): Promise<AcquireReply> {
    return this.ask('acquire', () => this.store.acquire(request));
  }

  renew(request: RenewRequest): Promise<RenewReply> {
    return this.ask('renew', () => this.store.renew(request));
  }

  release(request: ReleaseRequest): Promise<boolean> {
    return this.ask('release', () => this.store.release(request));
  }

  inspect(request: InspectRequest): Promise<LeaseSight> {
    return this.ask('inspect', () => this.store.inspect(request));
  }

  watch(election: string, watcher: LeaseWatcher): () => void {
    return this.store.watch(election, watcher);
  }

  async close(): Promise<void> {}

  private async ask<T>(operation: Operation, answer: () => Promise<T>): Promise<T> {
    this.calls.push(operation);
    if (this.health !== 'up' && this.affects.includes(operation)) {
      if (this.health === 'silent') return new Promise(() => undefined);
      throw new LeaseStoreError('unreachable', 'The store is down.');
    }
    return answer();
  }
}
