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
 *     --workers N        threads to share the work (1)
 *     --reduce-for MS    how long to reduce a failure (4000)
 *     --path P           with a seed: one run only, as a failure names it
 *     --reduce-for MS    how long to look for a smaller run that fails as well (4000)
 *
 * A run that breaks a promise is reduced: faults go and get shorter while it still does. What is left is printed as a
 * transcript (true time in ms, who, what), with the command that plays it again, and the program ends with 1.
 */
import { Worker } from 'node:worker_threads';

import { type BatchResult, type Failure, playBatch } from './batch.js';
import { batchesOf } from './batches.js';
import { parseCommandLine, type Request } from './command-line.js';
import { type Count, summaryOf, tellFailure } from './report.js';
import type { WorkerTask } from './worker.js';

/** Returns the exit code. */
export async function simulate(args: readonly string[]): Promise<number> {
  const request = parseCommandLine(args);
  const counts = new Map<string, Count>();
  const failures: Failure[] = [];
  const began = performance.now();
  await play(request, ({ batch, runs, grants, failure }) => {
    const name = `${batch.family} ${batch.holdOff}`;
    const count = counts.get(name) ?? { runs: 0, grants: 0, violations: new Map() };
    counts.set(name, count);
    count.runs += runs;
    count.grants += grants;
    if (failure === null) return 'go on';
    failures.push(failure);
    for (const { rule } of failure.violations) {
      count.violations.set(rule, (count.violations.get(rule) ?? 0) + 1);
    }
    return 'enough';
  });
  const seconds = (performance.now() - began) / 1000;
  const [first] = failures;
  if (first !== undefined) process.stdout.write(await tellFailure(first));
  process.stdout.write(`${summaryOf(counts, seconds)} (seed ${request.seed})\n`);
  return first === undefined ? 0 : 1;
}

type Listener = (result: BatchResult) => 'go on' | 'enough';

async function play(request: Request, listener: Listener): Promise<void> {
  if (request.workers > 1) return playInThreads(request, listener);
  for (const batch of batchesOf(request)) {
    if (listener(await playBatch(batch)) === 'enough') return;
  }
}

async function playInThreads(request: Request, listener: Listener): Promise<void> {
  const file = new URL('./worker.js', import.meta.url);
  const workers = Array.from({ length: request.workers }, (_, part) => {
    const workerData: WorkerTask = { request, of: request.workers, part };
    return new Worker(file, { workerData });
  });
  const end = () => Promise.all(workers.map((worker) => worker.terminate()));
  const ended = workers.map(
    (worker) =>
      new Promise<void>((resolve, reject) => {
        worker.on('error', reject);
        worker.on('exit', () => resolve());
        worker.on('message', (result: BatchResult) => {
          if (listener(result) === 'enough') void end(); // Never rejects.
        });
      }),
  );
  try {
    await Promise.all(ended);
  } finally {
    await end();
  }
}
