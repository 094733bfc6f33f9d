/** The workers of one run: each with a way of its own to the servers, replaced when it goes. */
import { type HistoryEvent, sharedNowMs } from '../../lib/index.js';
import { sleep } from '../support/process/cluster.js';
import { LagMeter } from '../support/process/lag-meter.js';
import type { WorkerProcess } from '../support/process/worker-process.js';
import type { WorkerCall, WorkerCalls } from '../support/process/worker-protocol.js';
import { NotNow } from './faults/fault.interface.js';
import type { Findings } from './findings.js';
import { LogCount } from './log-count.js';
import { follow, within } from './promises.js';
import { type Recruit, recruit, type WorkerSetting } from './recruit.js';
import type { Topology } from './topologies/topology.interface.js';

const HAMMER_EVERY_MS = 15;
const CLOSE_WITHIN_MS = 5000;
const ANSWER_WITHIN_MS = 10_000;
const KEPT_OUTPUTS = 12;

export interface Member extends Recruit {
  /** Stays to the end, so that its memory can be compared. */
  readonly stays: boolean;
  /** A fault has hold of it. */
  busy: boolean;
  /** It was asked or made to end. */
  leaving: boolean;
}

interface Which {
  readonly whom: number;
  readonly leader: boolean;
  readonly leaves?: boolean;
}

export interface FleetOptions extends WorkerSetting {
  readonly size: number;
}

export class Fleet {
  readonly logs = new LogCount();
  readonly lag = new LagMeter();
  private members: readonly Member[] = [];
  private heard: HistoryEvent[] = [];
  private readonly read = new Map<WorkerProcess, number>();
  private readonly fills = new Set<Promise<unknown>>();
  private readonly starts = new Set<Promise<unknown>>();
  private readonly ends = new Set<Promise<unknown>>();
  private dismissed = false;
  private written: readonly (readonly [node: string, text: string])[] = [];
  private started = 0;

  constructor(
    private readonly topology: Topology,
    private readonly options: FleetOptions,
    private readonly findings: Findings,
  ) {}

  get running(): readonly Member[] {
    return this.members.filter(({ worker, leaving }) => worker.running && !leaving);
  }

  get leader(): Member | undefined {
    return this.running.find(({ worker }) => worker.believes);
  }

  /** Starts as many as are missing, and waits until they are ready. */
  async fill(): Promise<void> {
    while (this.running.length + this.starts.size < this.options.size) {
      // Waited for below, and never fails.
      void follow(this.starts, this.start());
    }
    await Promise.all(this.starts);
  }

  /** A place stays empty for a while. */
  fillLater(ms: number): void {
    // `stop` waits for it, and it never fails.
    void follow(
      this.fills,
      sleep(ms).then(() => (this.dismissed ? undefined : this.fill())),
    );
  }

  /** Gives a member to a fault that nothing else has hold of; returns its name. */
  async withOne({ whom, leader, leaves }: Which, hit: (member: Member) => Promise<void>) {
    const free = this.running.filter(({ busy, stays }) => !busy && !(leaves && stays));
    const leading = leader ? free.find(({ worker }) => worker.believes) : undefined;
    const member = leading ?? free[Math.floor(whom * free.length)];
    if (member === undefined) throw new NotNow('No worker is free.');
    member.busy = true;
    try {
      await hit(member);
      return member.worker.node;
    } finally {
      member.busy = false;
    }
  }

  async kill(member: Member): Promise<void> {
    member.leaving = true;
    await member.worker.kill();
  }

  /** As an orchestrator does, which gives an application some time to end. */
  async terminate(member: Member): Promise<void> {
    const { worker } = member;
    member.leaving = true;
    const at = worker.signal('SIGTERM');
    const ended = await within(CLOSE_WITHIN_MS + 2 * this.options.leaseTtlMs, worker.exited);
    if (ended) return;
    const tookMs = Math.round(sharedNowMs() - at);
    this.findings.add('closes-in-time', `${worker.node} runs on ${tookMs} ms after SIGTERM`);
    await worker.kill();
  }

  /** Null where the worker has ended meanwhile. */
  async ask<Call extends WorkerCall>(
    { worker, leaving }: Member,
    call: Call,
    args: WorkerCalls[Call]['args'],
  ): Promise<WorkerCalls[Call]['result'] | null> {
    const answer = worker.call(call, args).catch((error: unknown) => {
      if (worker.running && !leaving)
        this.findings.add('answers', `${worker.node}: ${String(error)}`);
      return null;
    });
    const answered = await within(ANSWER_WITHIN_MS + 2 * this.options.leaseTtlMs, answer);
    if (!answered) this.findings.add('answers', `${worker.node} gives no answer to ${call}`);
    return answered ? answer : null;
  }

  /** What was told since the last time. */
  takeEvents(): readonly HistoryEvent[] {
    for (const { worker } of this.members) this.readFrom(worker);
    const events = this.heard;
    this.heard = [];
    return events;
  }

  /** The end of what each worker wrote, those that are gone included. */
  outputs(chars: number): Readonly<Record<string, string>> {
    return Object.fromEntries(this.written.map(([node, text]) => [node, text.slice(-chars)]));
  }

  /** From now on any of them may end: whoever interrupts the runner interrupts them as well. */
  dismiss(): void {
    this.dismissed = true;
  }

  async stop(): Promise<void> {
    this.dismiss();
    this.lag.stop();
    await Promise.all(this.fills);
    await Promise.all(this.starts);
    await Promise.all(this.members.map((member) => this.kill(member)));
    await Promise.allSettled(this.ends);
  }

  private async start(): Promise<void> {
    this.started += 1;
    const { size: _, ...setting } = this.options;
    const node = `w${this.started}`;
    const stays = this.started === 1;
    const recruited = await recruit(node, this.topology, setting).catch((error: unknown) => {
      if (!this.dismissed) this.findings.add('boots', `${node}: ${String(error)}`);
    });
    if (recruited === undefined) return;
    const member: Member = { ...recruited, stays, busy: false, leaving: false };
    this.members = [...this.members, member];
    // `stop` waits for it, and hears when it fails.
    void follow(this.ends, this.untilEnd(member));
    await this.ask(member, 'hammer', { everyMs: HAMMER_EVERY_MS });
  }

  private async untilEnd(member: Member): Promise<void> {
    const { worker, networks } = member;
    await worker.exited;
    if (!member.leaving && !this.dismissed) {
      this.findings.add(
        'lives',
        `${worker.node} ended by itself, with ${worker.exitCode}:\n${worker.output.slice(-2000)}`,
      );
    }
    this.readFrom(worker);
    this.logs.look(worker);
    this.written = [...this.written, [worker.node, worker.output] as const].slice(-KEPT_OUTPUTS);
    this.read.delete(worker);
    this.logs.forget(worker);
    this.members = this.members.filter((each) => each !== member);
    await Promise.all(networks.map((network) => network.close()));
  }

  private readFrom(worker: WorkerProcess): void {
    this.heard.push(...worker.history.slice(this.read.get(worker) ?? 0));
    this.read.set(worker, worker.history.length);
  }
}
