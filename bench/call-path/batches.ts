/** Times calls that are too short to be timed one by one. */
import { isAsyncFunction } from 'node:util/types';

import { peer } from '../peer.js';

const CALLS_PER_BATCH = 1000;
const NS_PER_MS = 1e6;
/** Until the compiler has settled. */
const WARMUP_MS = 150;

export interface Timed {
  readonly name: string;
  /** Of one call each, in ns: the mean of a batch. */
  readonly samples: readonly number[];
}

/** Makes that many calls, and returns something that depends on all of them. */
export type Batch = (calls: number) => unknown;

/** What is used of tinybench. */
interface Tinybench {
  readonly Bench: new (options: Readonly<Record<string, unknown>>) => {
    add(name: string, run: () => unknown): unknown;
    run(): Promise<readonly Task[]>;
  };
}

interface Task {
  readonly name: string;
  readonly result: { readonly latency?: { readonly samples?: readonly number[] } };
}

export async function timeBatches(
  batches: ReadonlyMap<string, Batch>,
  count: number,
): Promise<readonly Timed[]> {
  const { Bench } = peer<Tinybench>('tinybench');
  const bench = new Bench({
    iterations: count,
    time: 0,
    warmupTime: WARMUP_MS,
    retainSamples: true,
    throws: true,
  });
  // What a batch returns goes here, so that no call can be left out for having no effect.
  const effects: unknown[] = [];
  for (const [name, batch] of batches) {
    const run = () => (effects[0] = batch(CALLS_PER_BATCH));
    const runAsync = async () => (effects[0] = await batch(CALLS_PER_BATCH));
    bench.add(name, isAsyncFunction(batch) ? runAsync : run);
  }
  const tasks = await bench.run();
  return tasks.map(({ name, result }) => ({ name, samples: perCall(result.latency?.samples) }));
}

function perCall(batchesMs: readonly number[] | undefined): readonly number[] {
  if (batchesMs === undefined) throw new Error('tinybench has kept no samples.');
  return batchesMs.map((ms) => (ms * NS_PER_MS) / CALLS_PER_BATCH);
}
