/** One process that holds many leases: what it can be asked, and what it says of itself. */
import type { Holder } from './holders/holder.interface.js';
import { LeaseLog } from './lease-log.js';

/** So many samples tell the same as all of them, with the largest among them. */
const MOST_SAMPLES = 1000;
const AWAIT_POLL_MS = 5;
const BYTES_PER_KIB = 1024;

export interface HoldRequest {
  /** `Holder.id`. */
  readonly holder: string;
  readonly url: string;
  readonly ttlMs: number;
  readonly prefix: string;
  readonly count: number;
}

export interface Memory {
  readonly heapKib: number;
  readonly rssKib: number;
}

export interface Held {
  /** From asking for the first to holding the last. */
  readonly heldAfterMs: number;
  readonly before: Memory;
}

export interface Reading {
  /** Of this process so far. */
  readonly cpuMs: number;
  readonly held: number;
  /** Since the last reading. */
  readonly lost: number;
  /** Since the last reading, sorted. */
  readonly latenessMs: readonly number[];
}

export interface HoldingApi {
  /** Asks for all at once, and resolves when all are held. */
  hold(request: HoldRequest): Promise<Held>;
  memory(): Promise<Memory>;
  read(): Promise<Reading>;
  /** Resolves when so many have been lost since the last reading and all are held again; tells when that was. */
  heldAgain(lost: number): Promise<number>;
}

export function holding(holders: readonly Holder[]): HoldingApi {
  let log = new LeaseLog(0, 0);
  let count = 0;
  return {
    async hold(request) {
      const { ttlMs } = request;
      const holder = holders.find(({ id }) => id === request.holder);
      if (holder === undefined) throw new Error(`There is no holder ${request.holder}.`);
      count = request.count;
      log = new LeaseLog(count, holder.periodMs(ttlMs));
      const add = await holder.open({ ...request, log });
      const before = memory();
      const startedAt = performance.now();
      await add(count);
      await until(() => log.held === count);
      return { heldAfterMs: performance.now() - startedAt, before };
    },
    memory: () => Promise.resolve(memory()),
    read() {
      const { user, system } = process.cpuUsage();
      const reading = {
        cpuMs: (user + system) / 1000,
        held: log.held,
        lost: log.lost,
        latenessMs: thinned(log.lateness),
      };
      log.reset();
      return Promise.resolve(reading);
    },
    async heldAgain(lost) {
      await until(() => log.lost >= lost && log.held === count);
      return log.lastGrantAt;
    },
  };
}

/** After a collection, which needs --expose-gc. */
function memory(): Memory {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  return { heapKib: heapUsed / BYTES_PER_KIB, rssKib: rss / BYTES_PER_KIB };
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, AWAIT_POLL_MS));
}

/** At even ranks, counted from the largest. */
function thinned(samples: readonly number[]): readonly number[] {
  const sorted = [...samples];
  sorted.sort((a, b) => a - b);
  const step = Math.max(1, sorted.length / MOST_SAMPLES);
  const kept: number[] = [];
  for (let rank = sorted.length - 1; rank >= 0; rank -= step) {
    kept.unshift(sorted[Math.round(rank)] ?? NaN);
  }
  return kept;
}
