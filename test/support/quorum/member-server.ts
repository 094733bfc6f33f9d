/** One server of a quorum, in memory and in virtual time. */
import { InMemoryLeaseStore } from '../../../lib/stores/memory/in-memory-lease-store.js';
import type { StoredElection } from '../../../lib/stores/memory/lease-rules.js';
import { TestServer } from '../election/candidates.js';
import type { VirtualClock } from '../election/virtual-clock.js';
import type { Trouble } from './member-link.js';

/** Long enough that nobody waits for what it may have lost before. */
const UP_MS = 3_600_000;

export class MemberServer {
  readonly store: InMemoryLeaseStore;
  /** What happens to every call here, from whomever it comes. */
  trouble: Trouble = {};
  private readonly server = new TestServer(UP_MS);

  constructor(private readonly clock: VirtualClock) {
    this.store = new InMemoryLeaseStore({ server: () => this.server.moment(clock) });
  }

  /** What it keeps of one election, as a person with `redis-cli` would see and change it. */
  stored(election = 'default'): StoredElection {
    const stored = this.store['elections'].get(election) ?? { lease: null, record: null };
    this.store['elections'].set(election, stored);
    return stored;
  }

  /** Somebody led with this epoch, and has given the lease back. */
  remember(epoch: number): void {
    this.stored().record = {
      epoch,
      server: this.server.moment(this.clock).id,
      expiresAt: 0,
      ttlMs: 0,
      holder: 'earlier-random',
      attempt: 1,
      nodeId: 'earlier',
      metadata: {},
      holdOff: null,
    };
  }

  /** Another server with this data; by default it has all that it had. */
  restart(data: StoredElection = this.stored()): void {
    this.server.restart(this.clock);
    Object.assign(this.stored(), data);
  }

  restartEmpty(): void {
    this.server.restart(this.clock);
    this.store.flush();
  }
}
