/** The calls that are timed, a batch of each. */
import type { Batch } from './batches.js';
import type { Jobs } from './jobs.js';

type Batches = ReadonlyMap<string, Batch>;

/** What the README calls free of round trips. */
export function reads({ leader }: Jobs, of: string): Batches {
  const countLeading = (calls: number) => {
    let leading = 0;
    for (let i = 0; i < calls; i += 1) if (leader.isLeader) leading += 1;
    return leading;
  };
  const sumEpochs = (calls: number) => {
    let sum = 0;
    for (let i = 0; i < calls; i += 1) sum += leader.epoch ?? 1;
    return sum;
  };
  return new Map<string, Batch>([
    [`isLeader${of}`, countLeading],
    [`epoch${of}`, sumEpochs],
  ]);
}

/** The same inside of a leader-only run, where all speak of the leadership that it began under. */
export function readsInRun({ leader }: Jobs): Batches {
  const countLeading = (calls: number) =>
    leader.runIfLeader(() => {
      let leading = 0;
      for (let i = 0; i < calls; i += 1) if (leader.isLeader) leading += 1;
      return leading;
    });
  const sumEpochs = (calls: number) =>
    leader.runIfLeader(() => {
      let sum = 0;
      for (let i = 0; i < calls; i += 1) sum += leader.current().epoch;
      return sum;
    });
  return new Map<string, Batch>([
    ['isLeader in a run', countLeading],
    ['current() in a run', sumEpochs],
  ]);
}

export function plainCalls(jobs: Jobs): Batches {
  const sync = (calls: number) => {
    let sum = 0;
    for (let i = 0; i < calls; i += 1) sum += jobs.plain(1);
    return sum;
  };
  const async = async (calls: number) => {
    let sum = 0;
    for (let i = 0; i < calls; i += 1) sum += await jobs.plainAsync(1);
    return sum;
  };
  return new Map<string, Batch>([
    ['undecorated call', sync],
    ['undecorated async call', async],
  ]);
}

/** `what` happens to them: 'run' or 'skipped'. */
export function guardedCalls(jobs: Jobs, what: string): Batches {
  const sync = (calls: number) => {
    let sum = 0;
    for (let i = 0; i < calls; i += 1) sum += numberOf(jobs.guarded(1));
    return sum;
  };
  const async = async (calls: number) => {
    let sum = 0;
    for (let i = 0; i < calls; i += 1) sum += numberOf(await jobs.guardedAsync(1));
    return sum;
  };
  return new Map<string, Batch>([
    [`${what} call`, sync],
    [`${what} async call`, async],
  ]);
}

/** A skipped call returns undefined. */
function numberOf(result: number | undefined): number {
  return result ?? 1;
}
