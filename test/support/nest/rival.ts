import type { InMemoryLeaseStore } from '../../../lib/index.js';
import { epochOf, holder, releaseTo, requestBy } from '../redis/requests.js';

const BY = holder('rival', { url: 'http://rival' });

/** Another instance, as the store sees it. It leads until it is told to let go. */
export class Rival {
  private constructor(
    private readonly store: InMemoryLeaseStore,
    private readonly election: string,
    readonly epoch: number,
  ) {}

  /** Takes a lease that is free. */
  static async leads(store: InMemoryLeaseStore, election = 'default'): Promise<Rival> {
    return Rival.acquire(store, election, 0);
  }

  /** Takes the lease from whoever has it, as if that one's had run out unnoticed. */
  static async usurps(
    store: InMemoryLeaseStore,
    presentEpoch: number,
    election = 'default',
  ): Promise<Rival> {
    store.flush();
    return Rival.acquire(store, election, presentEpoch);
  }

  /** Frees the lease, and wakes those who wait for it. */
  async letsGo(): Promise<void> {
    await this.store.release(releaseTo(BY, this.epoch, { election: this.election }));
  }

  private static async acquire(
    store: InMemoryLeaseStore,
    election: string,
    floor: number,
  ): Promise<Rival> {
    const reply = await store.acquire(requestBy(BY, { election, floor, ttlMs: 600_000 }));
    return new Rival(store, election, epochOf(reply));
  }
}
