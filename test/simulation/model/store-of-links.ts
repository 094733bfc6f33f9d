/** A candidate's store: its one link, or a quorum of them. */
import type { Clock } from '../../../lib/election/clock.interface.js';
import type { LeaseStore } from '../../../lib/election/lease-store.interface.js';
import { QuorumLeaseStore } from '../../../lib/stores/quorum/quorum-lease-store.js';
import type { Link } from './link.js';

export function storeOf(links: readonly Link[], clock: Clock, random: () => number): LeaseStore {
  const [only, ...others] = links;
  if (only !== undefined && others.length === 0) return only;
  return new QuorumLeaseStore(links, { clock, random });
}
