/** How the work that was asked for is cut into pieces. */
import type { Batch } from './batch.js';
import type { Request } from './command-line.js';

/** Runs of one fast-check property; each batch has a seed of its own. */
const BATCH_RUNS = 200;

/** In turns, so that a defect of any family shows early. */
export function* batchesOf(request: Request): Generator<Batch> {
  const { families, holdOffs, runs, seed, path, reduceForMs } = request;
  for (let done = 0; done < runs; done += BATCH_RUNS) {
    for (const family of families) {
      for (const holdOff of holdOffs) {
        const batchRuns = Math.min(BATCH_RUNS, runs - done);
        yield { family, holdOff, runs: batchRuns, seed: seed + done, path, reduceForMs };
      }
    }
    // A path leads to one run.
    if (path !== undefined) return;
  }
}
