/** One of several threads that share the batches. Tells the result of each as soon as it is there. */
import { parentPort, workerData } from 'node:worker_threads';

import { playBatch } from './batch.js';
import { batchesOf } from './batches.js';
import type { Request } from './command-line.js';

export interface WorkerTask {
  readonly request: Request;
  /** Every how many batches one is this worker's, counted from `part`. */
  readonly of: number;
  readonly part: number;
}

const { request, of, part } = workerData as WorkerTask;
// oxlint-disable unicorn/require-post-message-target-origin -- a port of a thread has no origin.
for (const [index, batch] of [...batchesOf(request)].entries()) {
  if (index % of === part) parentPort?.postMessage(await playBatch(batch));
}
