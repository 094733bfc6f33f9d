/** One topology under faults, from its start to its end. */
import {
  type HistoryEvent,
  type HoldOff,
  checkHistory,
  type LedWithin,
  sharedNowMs,
} from '../../lib/index.js';
import { sleep } from '../support/process/cluster.js';
import { calm } from './calm.js';
import { NETWORK_FAULTS } from './faults/network.faults.js';
import type { PlayedFault } from './faults/fault.interface.js';
import { WORKER_FAULTS } from './faults/worker.faults.js';
import { newFigures } from './figures.js';
import { Findings } from './findings.js';
import { Fleet } from './fleet.js';
import { Judge } from './judge.js';
import { gapsIn } from './leaderless.js';
import { Lane } from './storm.js';
import type { Topology } from './topologies/topology.interface.js';

const LOOK_EVERY_MS = 1000;
const LONGEST_STORM_MS = 15_000;
const SHORTEST_STORM_MS = 5000;
/** What a calm takes, more or less; at least a half of a short run is storm. */
const CALM_MS = 8000;
const WORKER_PAUSE_MS = 1000;
/** Somebody should lead now and then, or there is nothing to break. */
const SERVER_PAUSE_MS = 3000;
const WHOLE_WITHIN_MS = 60_000;
const TOLD_MS = 200;
const MOST_LINES_PER_SECOND = 30;

export interface RunOptions {
  readonly seed: number;
  readonly forMs: number;
  readonly ttlMs: number;
  readonly workers: number;
  readonly acks: number;
  readonly holdOff: HoldOff;
  /** What a machine with too much to do adds to each bound. */
  readonly slackMs: number;
  /** Ends the run early, as a person at the keyboard does. */
  readonly signal?: AbortSignal;
  readonly progress?: (line: string) => void;
}

export class Run {
  readonly findings = new Findings();
  readonly figures = newFigures();
  readonly faults: PlayedFault[] = [];
  readonly expected: LedWithin[] = [];
  readonly judge = new Judge();
  readonly fleet: Fleet;
  readonly startedAt = sharedNowMs();

  constructor(
    readonly topology: Topology,
    readonly options: RunOptions,
  ) {
    const { workers: size, ttlMs: leaseTtlMs, acks: minReplicaAcks, holdOff } = options;
    this.fleet = new Fleet(topology, { size, leaseTtlMs, minReplicaAcks, holdOff }, this.findings);
    options.signal?.addEventListener('abort', () => this.fleet.dismiss(), { once: true });
  }

  get ttlMs(): number {
    return this.options.ttlMs;
  }

  isOver(): boolean {
    return this.findings.any || this.options.signal?.aborted === true;
  }

  /** Storms and calms until the time is up or something is wrong; then the whole history once more. */
  async play(): Promise<void> {
    const timer = setInterval(() => {
      this.look();
      for (const { worker } of this.fleet.running) this.fleet.logs.look(worker);
    }, LOOK_EVERY_MS);
    try {
      await this.fleet.fill();
      await this.rounds();
      await sleep(TOLD_MS);
    } finally {
      clearInterval(timer);
      this.figures.ranMs = sharedNowMs() - this.startedAt;
      this.figures.lineRate = this.fleet.logs.perMinute;
      await this.fleet.stop();
      this.look();
    }
    if (this.findings.any) return;
    const violations = checkHistory(this.judge.history, { ledWithin: this.expected });
    for (const { rule, message } of violations) this.findings.add(rule, message);
    this.judgeLogs();
  }

  /** Hears what the workers told, and judges it. */
  look(): void {
    const isFine = !this.findings.any;
    const violations = this.judge.see(this.fleet.takeEvents());
    // The first is what counts; what follows from it is not told again at each look.
    if (isFine) for (const { rule, message } of violations) this.findings.add(rule, message);
  }

  /** What was told in the last half minute. */
  get recent(): readonly HistoryEvent[] {
    return this.judge.recent;
  }

  async pass(ms: number): Promise<void> {
    const until = sharedNowMs() + ms;
    while (!this.isOver() && sharedNowMs() < until) await sleep(20);
  }

  async untilWhole(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error('not in time')), WHOLE_WITHIN_MS);
    });
    await Promise.race([this.topology.untilWhole(), late])
      .catch((error: unknown) => this.findings.add('servers-recover', String(error)))
      .finally(() => clearTimeout(timer));
  }

  get measured() {
    const { figures, faults, ttlMs } = this;
    const { history } = this.judge;
    const leaderships = history.filter(({ kind }) => kind === 'granted').length;
    return { figures, faults, leaderships, gaps: gapsIn(history, faults, ttlMs) };
  }

  private async rounds(): Promise<void> {
    const { seed, forMs } = this.options;
    const lanes = [
      new Lane(WORKER_FAULTS, seed, WORKER_PAUSE_MS),
      new Lane({ ...NETWORK_FAULTS, ...WORKER_FAULTS }, seed + 1, WORKER_PAUSE_MS),
      new Lane(this.topology.faults, seed + 2, SERVER_PAUSE_MS),
    ];
    const halfwayAt = sharedNowMs() + forMs / 2;
    const endAt = sharedNowMs() + forMs;
    for (let round = 0; !this.isOver(); round += 1) {
      const until = Math.min(
        sharedNowMs() + LONGEST_STORM_MS,
        Math.max(endAt - CALM_MS, halfwayAt),
      );
      if (round > 0 && until < sharedNowMs() + SHORTEST_STORM_MS) return;
      const scene = { fleet: this.fleet, ttlMs: this.ttlMs };
      const note = (fault: PlayedFault) => this.faults.push(fault);
      await Promise.all(lanes.map((lane) => lane.play(scene, until, () => this.isOver(), note)));
      if (this.isOver()) return;
      await calm(this, round);
      this.figures.rounds += 1;
      const { length } = this.faults;
      this.options.progress?.(`round ${round + 1}, ${length} faults so far`);
    }
  }

  private judgeLogs(): void {
    const { unhandled, mostPerSecond } = this.fleet.logs;
    for (const line of unhandled.slice(0, 5)) this.findings.add('nothing-unhandled', line);
    if (mostPerSecond > MOST_LINES_PER_SECOND) {
      this.findings.add('few-log-lines', `${mostPerSecond.toFixed(0)} lines in a second`);
    }
  }
}
