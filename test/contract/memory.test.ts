/** The contract in virtual time, where nothing waits: one store, and a quorum of three in which the same happens. */
import type { Clock } from '../../lib/election/clock.interface.js';
import { InMemoryLeaseStore } from '../../lib/stores/memory/in-memory-lease-store.js';
import type { ServerMoment } from '../../lib/stores/memory/lease-rules.js';
import { QuorumLeaseStore } from '../../lib/stores/quorum/quorum-lease-store.js';
import { describeLeaseStore, type StoreUnderTest } from './lease-store.contract.js';

describeLeaseStore('InMemoryLeaseStore', async () =>
  openStores(['a'], ([store]) => store as InMemoryLeaseStore),
);
describeLeaseStore(
  'QuorumLeaseStore of three in memory',
  async () =>
    openStores(['a', 'b', 'c'], (stores, clock) => new QuorumLeaseStore(stores, { clock })),
  { isQuorum: true },
);

function openStores(
  names: readonly string[],
  open: (stores: readonly InMemoryLeaseStore[], clock: Clock) => StoreUnderTest['store'],
): StoreUnderTest {
  const upMs = 3_000;
  let server: ServerMoment = { id: 'first', nowMs: Date.UTC(2026, 0, 1), upMs };
  const clock: Clock = {
    monotonicMs: () => server.nowMs,
    wallMs: () => server.nowMs,
    setTimer: (callback) => {
      queueMicrotask(callback);
      return () => undefined;
    },
  };
  const stores = names.map(
    (name) => new InMemoryLeaseStore({ server: () => ({ ...server, id: `${name}-${server.id}` }) }),
  );
  const store = open(stores, clock);
  return {
    store,
    upMs,
    elapse: async (ms) => {
      server = { ...server, nowMs: server.nowMs + ms, upMs: server.upMs + ms };
      // Wake-ups are delivered in microtasks, and gathered in further ones.
      for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
    },
    flush: async () => {
      for (const each of stores) each.flush();
    },
    evictLease: async (election) => {
      for (const each of stores) {
        const stored = each['elections'].get(election);
        if (stored !== undefined) stored.lease = null;
      }
    },
    changeServer: async () => {
      server = { ...server, id: `${server.id}+1` };
    },
    setClockBack: async (_election, ms) => {
      server = { ...server, nowMs: server.nowMs - ms };
    },
    close: () => store.close(),
  };
}
