/** Measures one process that holds many leases: at rest, and when all are lost and won again at once. */
import type { RedisServer } from '../../test/support/redis/redis-server.js';
import type { Row } from '../measure.interface.js';
import type { Holder } from './holders/holder.interface.js';
import type { HoldingApi, HoldRequest, Memory, Reading } from './holding.js';
import { LoadProcess } from './load-process.js';
import { pass } from './pass.js';
import { redisUsage } from './redis-usage.js';

const WORKER = new URL('holding.worker.js', import.meta.url);
/** By how much a fault outlasts the ttl, so that each lease has ended. */
const FAULT_BEYOND_TTL_MS = 500;
/** With fewer the difference is what else has happened to the heap. */
const LEAST_FOR_MEMORY = 100;

export interface Fault {
  /** Follows the number of leases in `Row.case`. */
  readonly name: string;
  begin(load: LoadProcess<HoldingApi>, server: RedisServer): void;
  end(load: LoadProcess<HoldingApi>, server: RedisServer): void;
}

export const FAULTS: readonly Fault[] = [
  {
    name: 'process stopped past the ttl',
    begin: (load) => load.pause(),
    end: (load) => load.resume(),
  },
  {
    name: 'Redis stopped past the ttl',
    begin: (_, server) => server.pause(),
    end: (_, server) => server.resume(),
  },
];

export interface ManyLeases {
  readonly holder: Holder;
  readonly count: number;
  readonly ttlMs: number;
  readonly faults: readonly Fault[];
}

type Figure = Pick<Row, 'figure' | 'unit' | 'samples'>;

/** Figures for each case, by what follows the number of leases in its name. */
export async function measureManyLeases(
  server: RedisServer,
  setup: ManyLeases,
): Promise<ReadonlyMap<string, readonly Figure[]>> {
  const load = await LoadProcess.start<HoldingApi>(WORKER, ['--expose-gc']);
  try {
    const figures = new Map<string, readonly Figure[]>([['', await atRest(load, server, setup)]]);
    for (const fault of setup.faults) {
      figures.set(`, ${fault.name}`, await afterFault(load, server, setup, fault));
    }
    return figures;
  } finally {
    server.resume();
    await load.kill();
  }
}

async function atRest(
  load: LoadProcess<HoldingApi>,
  server: RedisServer,
  { holder, count, ttlMs }: ManyLeases,
): Promise<readonly Figure[]> {
  const prefix = `${holder.id}-${count}-`;
  const request: HoldRequest = { holder: holder.id, url: server.url, ttlMs, prefix, count };
  const { heldAfterMs, before } = await load.call('hold', request);

  // Between two rounds of renewals, where they come in rounds.
  const periodMs = holder.periodMs(ttlMs);
  await pass(periodMs / 2);
  const start = await readBoth(load, server);
  const windowMs = Math.max(1, Math.round(ttlMs / periodMs)) * periodMs;
  await pass(windowMs);
  const end = await readBoth(load, server);
  const after = await load.call('memory');

  const passedMs = end.at - start.at;
  const cpuMs = end.cpuMs - start.cpuMs;
  const redisCpuMs = end.redisCpuMs - start.redisCpuMs;
  const eachTtl = (spentMs: number): number => ((spentMs / count) * ttlMs) / passedMs;
  return [
    { figure: 'CPU', unit: '% of a core', samples: [(100 * cpuMs) / passedMs] },
    { figure: 'CPU each and ttl', unit: 'µs', samples: [1000 * eachTtl(cpuMs)] },
    { figure: 'Redis CPU', unit: '% of a core', samples: [(100 * redisCpuMs) / passedMs] },
    { figure: 'Redis CPU each and ttl', unit: 'µs', samples: [1000 * eachTtl(redisCpuMs)] },
    ...(count < LEAST_FOR_MEMORY ? [] : memoryOf(before, after, count)),
    { figure: 'all held after', unit: 'ms', samples: [heldAfterMs] },
    { figure: 'lost at rest', unit: 'count', samples: [end.lost] },
    ...latenessOf(end),
  ];
}

async function afterFault(
  load: LoadProcess<HoldingApi>,
  server: RedisServer,
  { holder, count, ttlMs }: ManyLeases,
  fault: Fault,
): Promise<readonly Figure[]> {
  await load.call('read');
  fault.begin(load, server);
  await pass(ttlMs + FAULT_BEYOND_TTL_MS);
  const endedAt = performance.now();
  fault.end(load, server);
  await load.call('heldAgain', count);
  const heldAgainMs = performance.now() - endedAt;

  await load.call('read');
  await pass(1.5 * holder.periodMs(ttlMs));
  const after = await load.call('read');
  return [
    { figure: 'all held again after', unit: 'ms', samples: [heldAgainMs] },
    { figure: 'lost once more', unit: 'count', samples: [after.lost] },
    ...latenessOf(after),
  ];
}

function memoryOf(before: Memory, after: Memory, count: number): readonly Figure[] {
  const each = (kib: keyof Memory): readonly number[] => [(after[kib] - before[kib]) / count];
  return [
    { figure: 'heap each', unit: 'KiB', samples: each('heapKib') },
    { figure: 'resident memory each', unit: 'KiB', samples: each('rssKib') },
  ];
}

function latenessOf({ latenessMs }: Reading): readonly Figure[] {
  return latenessMs.length === 0
    ? []
    : [{ figure: 'renewal later than planned', unit: 'ms', samples: latenessMs }];
}

async function readBoth(load: LoadProcess<HoldingApi>, server: RedisServer) {
  const [reading, usage] = await Promise.all([load.call('read'), redisUsage(server)]);
  return { ...reading, redisCpuMs: usage.cpuMs, at: performance.now() };
}
