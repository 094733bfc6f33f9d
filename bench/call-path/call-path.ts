/** One process that times the call path: what it can be asked. */
import { median } from '../statistics.js';
import { type Timed, timeBatches } from './batches.js';
import { guardedCalls, plainCalls, reads, readsInRun } from './calls.js';
import { type Jobs, type Part, startJobs } from './jobs.js';

export interface CallPathRequest {
  /** One application for each part, all in this process. */
  readonly parts: readonly Part[];
  /** How many elections each application has. */
  readonly elections: number;
  /** How many samples of each call. */
  readonly count: number;
}

export interface CallPathApi {
  /** Figures by name, in ns. */
  time(request: CallPathRequest): Promise<readonly Timed[]>;
}

export function callPath(): CallPathApi {
  return {
    async time({ parts, elections, count }) {
      const applications: { part: Part; jobs: Jobs }[] = [];
      for (const part of parts) applications.push({ part, jobs: await startJobs(part, elections) });
      for (const { jobs } of applications) meet(jobs);
      const figures: Timed[] = [];
      for (const { part, jobs } of applications)
        figures.push(...(await timePart(part, jobs, count)));
      return figures;
    },
  };
}

/** Everything has been called with every application before the first is timed. */
function meet(jobs: Jobs): void {
  for (let i = 0; i < 1000; i += 1) {
    jobs.guarded(1);
    void jobs.guardedAsync(1);
  }
}

async function timePart(part: Part, jobs: Jobs, count: number): Promise<readonly Timed[]> {
  const leads = part === 'leader';
  const plain = await timeBatches(plainCalls(jobs), count);
  const guarded = await timeBatches(guardedCalls(jobs, leads ? 'run' : 'skipped'), count);
  const added = guarded.map(({ name, samples }, index) => {
    const undecorated = median(plain[index]?.samples ?? []);
    return { name: `${name} adds`, samples: samples.map((ns) => ns - undecorated) };
  });
  const read = await timeBatches(reads(jobs, leads ? '' : ' of a follower'), count);
  if (!leads) return [...read, ...added];
  return [...read, ...(await timeBatches(readsInRun(jobs), count)), ...plain, ...added];
}
