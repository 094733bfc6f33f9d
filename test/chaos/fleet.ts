/** The workers of one run: each with a way of its own to the servers, replaced when it goes. */
import { type HistoryEvent, type HoldOff, sharedNowMs } from '../../lib/index.js';
import { sleep } from '../support/process/cluster.js';
import { LagMeter } from '../support/process/lag-meter.js';
import { WorkerProcess } from '../support/process/worker-process.js';
import type { WorkerCall, WorkerCalls } from '../support/process/worker-protocol.js';
import type { TcpProxy } from '../support/redis/tcp-proxy.js';
import { NotNow } from './faults/fault.interface.js';
import type { Findings } from './findings.js';
import { LogCount } from './log-count.js';
import { ELECTION } from './faults/server.faults.js';
import type { Topology } from './topologies/topology.interface.js';

const HAMMER_EVERY_MS = 15;
/** On a machine that does nothing else, each takes less than a second. */
const BOOT_WITHIN_MS = 20_000;
const CLOSE_WITHIN_MS = 5000;
const ANSWER_WITHIN_MS = 10_000;
const KEPT_OUTPUTS = 12;

export interface Member {
  readonly worker: WorkerProcess;
  readonly networks: readonly TcpProxy[];
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

export interface FleetOptions {
  readonly size: number;
  readonly leaseTtlMs: number;
  readonly minReplicaAcks: number;
  readonly holdOff: HoldOff;
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

  /** Gives a member to a fault that nothing else has hold of. */
  async withOne({ whom, leader, leaves }: Which, hit: (member: Member) => Promise<void>) {
    const free = this.running.filter(({ busy, stays }) => !busy && !(leaves && stays));
    const leading = leader ? free.find(({ worker }) => worker.believes) : undefined;
    const member = leading ?? free[Math.floor(whom * free.length)];
    if (member === undefined) throw new NotNow('No worker is free.');
    member.busy = true;
    try {
      await hit(member);
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
    const { size: _, ...options } = this.options;
    const node = `w${this.started}`;
    const stays = this.started === 1;
    const { redis, networks } = await this.topology.openRoute();
    const start = WorkerProcess.start({
      ...options,
      node,
      redis,
      election: ELECTION,
      kind: 'context',
      logLevels: ['log', 'warn', 'error', 'fatal'],
    });
    const ended = start.catch(() => undefined);
    if (!(await within(BOOT_WITHIN_MS, ended))) {
      this.findings.add('boots', `${node} is not ready ${BOOT_WITHIN_MS} ms after its start`);
    }
    const worker = await start.catch((error: unknown) => {
      if (!this.dismissed) this.findings.add('boots', `${node}: ${String(error)}`);
    });
    if (worker === undefined) return;
    const member: Member = { worker, networks, stays, busy: false, leaving: false };
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

function follow<T>(all: Set<Promise<unknown>>, what: Promise<T>): Promise<T> {
  all.add(what);
  const forget = () => all.delete(what);
  what.then(forget, forget);
  return what;
}

async function within(ms: number, what: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  return Promise.race([what.then(() => true), late]).finally(() => clearTimeout(timer));
}
