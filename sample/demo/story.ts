/** What is played: a leader works and is killed, the next one works and leaves, a third one works. */
import { checkHistory, type HistoryEvent, sharedNowMs, type Violation } from '../../lib/index.js';
import { lastWords } from '../../test/support/history/open-belief.js';
import { LEASE_TTL_MS } from './demo-node.js';
import { type Audience, NODES, type Stage } from './stage.interface.js';
import { Timeline } from './timeline.js';

const RUNS_EACH = 4;
/** After a run and before the next: so no run is missed by chance, and the time is not round. */
const PAUSE_AFTER_RUN_MS = 400;
const STEP_TIMEOUT_MS = 15_000;

interface Told {
  /** What to call the change that the next leader is due to. */
  readonly since: string;
  readonly at: number;
}

export class Story {
  private readonly history: HistoryEvent[] = [];
  private readonly timeline = new Timeline();
  private readonly gaps: (readonly [string, number])[] = [];
  private readonly crashedAt = new Map<string, number>();
  private last: Told | null = null;
  private wake: () => void = () => undefined;

  constructor(private readonly stage: Stage) {}

  async play(): Promise<void> {
    const { stage, timeline } = this;
    timeline.header([
      ...stage.intro,
      `One job each second, on the leader only. The lease lasts ${LEASE_TTL_MS} ms.`,
    ]);
    await stage.start(this.audience());
    await this.change(await this.workOf(1), 'crash');
    await this.change(await this.workOf(2), 'leave');
    await this.workOf(3);
  }

  /** Prints the figures. Returns what was wrong. */
  summarize(): readonly Violation[] {
    const violations = checkHistory(this.history);
    const runs = this.history.filter(({ kind }) => kind === 'run');
    const epochs = this.epochs();
    const duplicates = violations.filter(({ rule }) => rule === 'one-leader').length;
    const byNode = NODES.map((node) => `${node} ${runs.filter((run) => run.node === node).length}`);
    const grew = epochs.every(
      (epoch, index) => index === 0 || epoch > (epochs[index - 1] ?? epoch),
    );
    this.timeline.summary([
      ['runs', String(runs.length), byNode.join(', ')],
      ['duplicates', String(duplicates), 'runs, or instants, with two leaders'],
      [
        'epochs',
        String(epochs.length),
        `${grew ? 'growing' : 'NOT GROWING'}: ${epochs.join(', ')}`,
      ],
      ...this.gaps.map(([since, gapMs]) => {
        return ['gap', `${Math.round(gapMs)} ms`, `until somebody led ${since}`] as const;
      }),
    ]);
    return violations;
  }

  private audience(): Audience {
    return {
      event: (event) => {
        this.history.push(event);
        this.show(event);
        this.wake();
      },
    };
  }

  private show(event: HistoryEvent): void {
    const { at, node } = event;
    if (event.kind === 'run') this.timeline.entry(at, node, 'job', `epoch ${event.epoch}`);
    if (event.kind === 'ended') this.timeline.entry(at, node, 'over', event.reason);
    const killedAt = this.crashedAt.get(node);
    if (event.kind === 'gone' && killedAt !== undefined) {
      this.history.push(...lastWords(this.history, node, killedAt));
    }
    if (event.kind !== 'granted') return;
    const { last } = this;
    const gapMs = last === null ? 0 : at - last.at;
    if (last !== null) this.gaps.push([last.since, gapMs]);
    const note = last === null ? '' : `, ${Math.round(gapMs)} ms ${last.since}`;
    this.timeline.entry(at, node, 'LEADS', `epoch ${event.epoch}${note}`);
  }

  /** Waits until the nth leader has run its jobs, and returns its name. */
  private async workOf(nth: number): Promise<string> {
    const runsOf = (epoch: number) =>
      this.history.filter((event) => event.kind === 'run' && event.epoch === epoch);
    const done = () => runsOf(this.epochs()[nth - 1] ?? NaN).length >= RUNS_EACH;
    await this.until(done, `leader number ${nth} has run ${RUNS_EACH} jobs`);
    await sleep(PAUSE_AFTER_RUN_MS);
    const leader = this.history.filter(({ kind }) => kind === 'granted').at(-1);
    if (leader === undefined) throw new Error('Nobody leads.');
    return leader.node;
  }

  private async change(leader: string, how: 'crash' | 'leave'): Promise<void> {
    const { label, since } = how === 'crash' ? this.stage.crashing : this.stage.leaving;
    this.timeline.entry(sharedNowMs(), leader, label);
    const at = this.stage[how](leader);
    if (how === 'crash') this.crashedAt.set(leader, at);
    this.last = { since, at };
  }

  private epochs(): readonly number[] {
    return this.history.flatMap((event) => (event.kind === 'granted' ? [event.epoch] : []));
  }

  private async until(done: () => boolean, what: string): Promise<void> {
    const giveUpAt = sharedNowMs() + STEP_TIMEOUT_MS;
    while (!done()) {
      if (sharedNowMs() > giveUpAt) throw new Error(`Not within ${STEP_TIMEOUT_MS} ms: ${what}.`);
      await new Promise<void>((resolve) => {
        this.wake = resolve;
        setTimeout(resolve, STEP_TIMEOUT_MS).unref();
      });
    }
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
