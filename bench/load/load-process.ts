/** A child process that carries a load, driven by calls from a measure. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import { guardOf } from '../../test/support/guard.js';
import type { CallAnswer, CallRequest } from './serve-calls.js';

const CALL_TIMEOUT_MS = 120_000;
/** What is kept of stderr, for the message of a failure. */
const OUTPUT_LENGTH = 4000;

/** What a worker can be asked: methods with at most one argument, which passes as JSON. */
export type Calls<Api> = { [Name in keyof Api]: (argument: never) => Promise<unknown> };

interface Pending {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

export class LoadProcess<Api extends Calls<Api>> {
  private readonly pending = new Map<number, Pending>();
  private readonly guard: ChildProcess;
  private readonly closed: Promise<unknown>;
  private lastId = 0;
  private output = '';

  private constructor(private readonly child: ChildProcess) {
    this.guard = guardOf(child);
    this.closed = once(child, 'close').then(() => this.end());
    child.stderr?.on('data', (data: Buffer) => {
      this.output = (this.output + data.toString()).slice(-OUTPUT_LENGTH);
    });
    child.on('message', (message) => this.hear(message as CallAnswer));
  }

  /** `worker` is a compiled file that calls `serveCalls`. */
  static async start<Api extends Calls<Api>>(
    worker: URL,
    nodeOptions: readonly string[] = [],
  ): Promise<LoadProcess<Api>> {
    const child = spawn(process.execPath, [...nodeOptions, fileURLToPath(worker)], {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    await once(child, 'spawn');
    return new LoadProcess<Api>(child);
  }

  call<Name extends keyof Api & string>(
    name: Name,
    ...[argument]: Parameters<Api[Name]>
  ): Promise<Awaited<ReturnType<Api[Name]>>> {
    const id = ++this.lastId;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => settle(reject, new Error(`No answer to ${name} in ${CALL_TIMEOUT_MS} ms.`)),
        CALL_TIMEOUT_MS,
      );
      const settle = <T>(how: (value: T) => void, value: T) => {
        clearTimeout(timer);
        this.pending.delete(id);
        how(value);
      };
      this.pending.set(id, {
        // The worker answers each call with what its own type says.
        resolve: (result) => settle(resolve, result as Awaited<ReturnType<Api[Name]>>),
        reject: (error) => settle(reject, error),
      });
      if (!this.child.connected) this.end();
      else this.child.send({ id, name, argument } satisfies CallRequest);
    });
  }

  /** Runs nothing more until `resume()`. */
  pause(): void {
    this.child.kill('SIGSTOP');
  }

  resume(): void {
    this.child.kill('SIGCONT');
  }

  /** Ends it, whatever it does. */
  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.closed;
  }

  private hear({ id, result, error }: CallAnswer): void {
    const call = this.pending.get(id);
    if (error === undefined) call?.resolve(result);
    else call?.reject(new Error(error));
  }

  private end(): void {
    this.guard.kill('SIGKILL');
    for (const call of this.pending.values()) {
      call.reject(new Error(`The process of the load has ended.\n${this.output}`));
    }
  }
}
