/** What leadership costs each call. */
import type { CallPathApi, CallPathRequest } from '../call-path/call-path.js';
import { LoadProcess } from '../load/load-process.js';
import type { Measure, MeasureContext, Row } from '../measure.interface.js';
import { OURS } from '../ours.js';

const WORKER = new URL('../call-path/call-path.worker.js', import.meta.url);
const MANY_ELECTIONS = 1000;
/** Of fresh processes: a compiler settles on other things in each. */
const REPETITIONS = 5;
/** Of each call in each process. */
const SAMPLES = 100;

const CASES = [
  { name: 'alone', elections: 1, processes: [['leader'], ['follower']] },
  {
    name: 'among 1,000 elections',
    elections: MANY_ELECTIONS,
    processes: [['leader', 'follower']],
  },
] as const;

export const callPath: Measure = {
  id: 'call-path',
  title: 'The call path',
  how:
    "What `isLeader`, `epoch` and `current()` cost, and what `@OnlyLeader({ otherwise: 'skip' })` adds to a method whose " +
    'body is one addition, in a Nest application context on an in-memory store, since none of these asks the store. ' +
    'Each sample is the mean of a batch of 1,000 calls, taken with tinybench after a warm-up; what a decorated call ' +
    'adds is the sample less the median of the same method without the decorator, in the same process. _Alone_: the ' +
    'process has one application with one election, which leads or follows. _Among 1,000 elections_: it has an ' +
    'application that leads and one that follows, with 1,000 elections each, all of which have been called. The log is ' +
    'without debug lines, of which each skipped call would write one.',
  goals: [
    { figure: 'isLeader', statistic: 'median', atMost: 150 },
    { figure: 'skipped call adds', statistic: 'median', atMost: 500 },
    { figure: 'skipped async call adds', statistic: 'median', atMost: 500 },
    { figure: 'run call adds', statistic: 'median', atMost: 3000 },
    { figure: 'run async call adds', statistic: 'median', atMost: 3000 },
  ],
  async run(context: MeasureContext): Promise<readonly Row[]> {
    const repetitions = context.quick ? 1 : REPETITIONS;
    const samplesOf = new Map<string, { inCase: string; figure: string; samples: number[] }>();
    for (const { name: inCase, elections, processes } of CASES) {
      for (let repetition = 1; repetition <= repetitions; repetition += 1) {
        context.say(`${inCase}, ${repetition} of ${repetitions}`);
        for (const parts of processes) {
          const figures = await timeInFreshProcess({ parts, elections, count: SAMPLES });
          for (const { name: figure, samples } of figures) {
            const key = `${inCase}, ${figure}`;
            const row = samplesOf.get(key) ?? { inCase, figure, samples: [] };
            row.samples.push(...samples);
            samplesOf.set(key, row);
          }
        }
      }
    }
    return [...samplesOf.values()].map(({ inCase, figure, samples }) => ({
      measure: 'call-path',
      contestant: OURS,
      case: inCase,
      figure,
      unit: 'ns',
      samples,
    }));
  },
};

async function timeInFreshProcess(request: CallPathRequest) {
  const process = await LoadProcess.start<CallPathApi>(WORKER);
  try {
    return await process.call('time', request);
  } finally {
    await process.kill();
  }
}
