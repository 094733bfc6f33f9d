import type { ServerMoment } from '../../lib/stores/memory/lease-rules.js';
import { InMemoryLeaseStore } from '../../lib/stores/memory/in-memory-lease-store.js';
import { describeLeaseStore, type StoreUnderTest } from './lease-store.contract.js';

describeLeaseStore('InMemoryLeaseStore', openMemoryStore);

/** In virtual time: nothing here waits. */
async function openMemoryStore(): Promise<StoreUnderTest> {
  const upMs = 3_000;
  let server: ServerMoment = { id: 'first', nowMs: Date.UTC(2026, 0, 1), upMs };
  const store = new InMemoryLeaseStore({ server: () => server });
  return {
    store,
    upMs,
    elapse: async (ms) => {
      server = { ...server, nowMs: server.nowMs + ms, upMs: server.upMs + ms };
      // Wake-ups are delivered in a microtask.
      await Promise.resolve();
    },
    flush: async () => store.flush(),
    evictLease: async (election) => {
      const stored = store['elections'].get(election);
      if (stored !== undefined) stored.lease = null;
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
