/** One worker: a real process that a test starts, talks to, stops, continues and kills. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

import { type HistoryEvent, sharedNowMs } from '../../../lib/index.js';
import { lastWords, openBelief } from '../history/open-belief.js';
import { guardOf } from '../guard.js';
import { compiledWorker } from './compiled-worker.js';
import {
  WORKER_OPTIONS,
  type WorkerCall,
  type WorkerCalls,
  type WorkerMessage,
  type WorkerOptions,
} from './worker-protocol.js';

const CALL_TIMEOUT_MS = 30_000;
/** A worker that leads tells so each 50 ms, if it gets the processor. */
const SILENT_AFTER_MS = 200;

interface Pending {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

export class WorkerProcess {
  /** All that this worker told, and its end. */
  readonly history: HistoryEvent[] = [];
  /** What it wrote to stdout and stderr. */
  output = '';
  exitCode: number | null = null;
  readonly exited: Promise<void>;
  readonly ready: Promise<void>;

  private readonly pending = new Map<number, Pending>();
  private lastCall = 0;
  private killedAt: number | null = null;
  private stoppedAt: number | null = null;
  private heardAt = sharedNowMs();
  private markReady: () => void = () => undefined;

  private constructor(
    readonly options: WorkerOptions,
    private readonly child: ChildProcess,
  ) {
    child.on('message', (message) => this.hear(message as WorkerMessage));
    child.stdout?.on('data', (data: Buffer) => (this.output += data.toString()));
    child.stderr?.on('data', (data: Buffer) => (this.output += data.toString()));
    this.ready = new Promise((resolve) => (this.markReady = resolve));
    this.exited = once(child, 'close').then(() => this.end());
    const guard = guardOf(child);
    void this.exited.then(() => guard.kill('SIGKILL'));
  }

  /** Rejects where it is not ready in time, and ends it. */
  static async start(options: WorkerOptions, readyWithinMs = Infinity): Promise<WorkerProcess> {
    const worker = await compiledWorker();
    const child = spawn(process.execPath, [worker], {
      env: { ...process.env, NODE_OPTIONS: '', [WORKER_OPTIONS]: JSON.stringify(options) },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    await once(child, 'spawn');
    const started = new WorkerProcess(options, child);
    const late = () => {
      started.output += `Not ready within ${readyWithinMs} ms.`;
      started.signal('SIGKILL');
    };
    const timer = readyWithinMs === Infinity ? undefined : setTimeout(late, readyWithinMs);
    await Promise.race([started.ready, started.exited]);
    clearTimeout(timer);
    if (started.exitCode !== null) throw new Error(`The worker failed.\n${started.output}`);
    return started;
  }

  get node(): string {
    return this.options.node;
  }

  get running(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Whether it said so when it last spoke. */
  get believes(): boolean {
    return this.running && openBelief(this.history, this.node) !== null;
  }

  get epoch(): number | null {
    return openBelief(this.history, this.node)?.epoch ?? null;
  }

  /** Sends a signal, and returns the instant before that. */
  signal(signal: 'SIGKILL' | 'SIGTERM' | 'SIGSTOP' | 'SIGCONT'): number {
    const at = sharedNowMs();
    // A process that was stopped says nothing; neither does one that was not heard of for so long.
    if (signal === 'SIGKILL') {
      this.killedAt = Math.min(at, this.stoppedAt ?? at, this.heardAt + SILENT_AFTER_MS);
    } else if (signal === 'SIGSTOP') this.stoppedAt ??= at;
    else if (signal === 'SIGCONT') this.stoppedAt = null;
    this.child.kill(signal);
    return at;
  }

  /** Ends it for sure, also when it is stopped. */
  async kill(): Promise<void> {
    if (this.running) this.signal('SIGKILL');
    await this.exited;
  }

  call<Call extends WorkerCall>(
    call: Call,
    args: WorkerCalls[Call]['args'],
  ): Promise<WorkerCalls[Call]['result']> {
    const id = ++this.lastCall;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`${this.node}: no answer to ${call}.`)),
        CALL_TIMEOUT_MS,
      );
      const settled = <T>(settle: (value: T) => void) => {
        return (value: T) => {
          clearTimeout(timer);
          this.pending.delete(id);
          settle(value);
        };
      };
      this.pending.set(id, {
        // The worker answers each call with what the protocol says.
        resolve: settled(resolve as (result: unknown) => void),
        reject: settled(reject),
      });
      this.child.send({ id, call, args });
    });
  }

  private hear(message: WorkerMessage): void {
    this.heardAt = sharedNowMs();
    if (message.type === 'ready') this.markReady();
    else if (message.type === 'event') this.history.push(message.event);
    else if (message.type === 'reply') this.pending.get(message.id)?.resolve(message.result);
    else this.pending.get(message.id)?.reject(new Error(message.error));
  }

  private end(): void {
    this.exitCode = this.child.exitCode ?? -1;
    const { node } = this;
    if (this.killedAt !== null) this.history.push(...lastWords(this.history, node, this.killedAt));
    this.history.push({ kind: 'gone', node, at: sharedNowMs() });
    for (const call of this.pending.values()) call.reject(new Error(`${node} has ended.`));
  }
}
