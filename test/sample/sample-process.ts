import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

import { awaitUntil } from '../support/await-until.js';

export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/**
 * A sample as a process of its own. It does not outlive the test process for long: it logs all the time, and a log line
 * to a pipe that nobody holds any more ends it.
 */
export class SampleProcess {
  private text = '';
  private readonly ended: Promise<ProcessEnd>;

  private constructor(private readonly child: ChildProcess) {
    child.stdout?.on('data', (chunk: Buffer) => (this.text += chunk.toString()));
    child.stderr?.on('data', (chunk: Buffer) => (this.text += chunk.toString()));
    this.ended = once(child, 'exit').then(() => ({
      code: child.exitCode,
      signal: child.signalCode,
    }));
  }

  static start(entry: string, env: Record<string, string>): SampleProcess {
    const child = spawn(process.execPath, [entry], {
      env: { ...process.env, NO_COLOR: '1', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return new SampleProcess(child);
  }

  /** Everything it has printed. */
  get output(): string {
    return this.text;
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  async prints(pattern: RegExp, timeoutMs = 20_000): Promise<RegExpExecArray> {
    let found: RegExpExecArray | null = null;
    const look = () => (found = pattern.exec(this.text)) !== null;
    await awaitUntil(() => look() || !this.isRunning, { timeoutMs, what: `prints ${pattern}` });
    if (!look() || found === null) throw new Error(`It ended before it printed:\n${this.text}`);
    return found;
  }

  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<ProcessEnd> {
    if (this.isRunning) this.child.kill(signal);
    return this.ended;
  }
}
