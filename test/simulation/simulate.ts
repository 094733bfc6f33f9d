/**
 * Plays random elections on virtual time until something breaks: `npm run test:simulation -- --runs 100000`.
 *
 * The code of `lib/election` is the real one. Time, processes, network and servers are models, and a seed repeats every
 * run to the byte. Each run is 10 leases of faults and then a calm, in which somebody must lead soon, and hand over at
 * once when asked to leave. Whoever leads is looked at after each step, and `lib/testing` judges what was seen.
 *
 *     --runs N           for each family and hold-off (10000)
 *     --seed S           the same seed gives the same runs
 *     --family NAME      network, processes, clocks, data, failover, split-brain, quorum, mixed; all when left out
 *     --hold-off VALUE   always, auto; both when left out
 *     --workers N        processes to share the work (1)
 *     --path P           with a seed: one run only, as a failure names it
 *     --reduce-for MS    how long to look for a smaller run that fails as well (4000)
 *
 * A run that breaks a promise is reduced: faults go and get shorter while it still does. What is left is printed as a
 * transcript (true time in ms, who, what), with the command that plays it again, and the program ends with 1.
 */
import { type Batch, type Failure, playBatch } from './batch.js';
import { parseCommandLine, type Request } from './command-line.js';
import { type Count, summaryOf, tellFailure } from './report.js';

/** Runs of one fast-check property; each batch has a seed of its own. */
const BATCH_RUNS = 200;

export async function simulate(args: readonly string[]): Promise<number> {
  const request = parseCommandLine(args);
  const counts = new Map<string, Count>();
  const began = performance.now();
  let failure: Failure | null = null;
  for (const batch of batchesOf(request)) {
    const result = await playBatch(batch);
    const count = countOf(counts, `${batch.family} ${batch.holdOff}`);
    count.runs += result.runs;
    count.grants += result.grants;
    for (const { rule } of result.failure?.violations ?? []) {
      count.violations.set(rule, (count.violations.get(rule) ?? 0) + 1);
    }
    failure ??= result.failure;
    if (failure !== null) break;
  }
  const seconds = (performance.now() - began) / 1000;
  if (failure !== null) process.stdout.write(await tellFailure(failure));
  process.stdout.write(`${summaryOf(counts, seconds)} (seed ${request.seed})\n`);
  return failure === null ? 0 : 1;
}

/** In turns, so that a defect of any family shows early. */
function* batchesOf({
  families,
  holdOffs,
  runs,
  seed,
  path,
  reduceForMs,
}: Request): Generator<Batch> {
  for (let done = 0; done < runs; done += BATCH_RUNS) {
    for (const family of families) {
      for (const holdOff of holdOffs) {
        const batchRuns = Math.min(BATCH_RUNS, runs - done);
        yield { family, holdOff, runs: batchRuns, seed: seed + done, path, reduceForMs };
      }
    }
    if (path !== undefined) return;
  }
}

function countOf(counts: Map<string, Count>, name: string): Count {
  const count = counts.get(name) ?? { runs: 0, grants: 0, violations: new Map<string, number>() };
  counts.set(name, count);
  return count;
}
