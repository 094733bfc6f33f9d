/** A server's process that goes with the test process, whatever becomes of that. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

import { guardOf } from '../guard.js';

export class GuardedProcess {
  private constructor(
    private readonly server: ChildProcess,
    private readonly guard: ChildProcess,
  ) {}

  static async spawn(program: string, args: readonly string[]): Promise<GuardedProcess> {
    const server = spawn(program, args, { stdio: 'ignore' });
    await once(server, 'spawn');
    return new GuardedProcess(server, guardOf(server));
  }

  get pid(): number | undefined {
    return this.server.pid;
  }

  /** How it ended by itself, or null while it runs. */
  get exitCode(): number | null {
    return this.server.exitCode;
  }

  pause(): void {
    this.server.kill('SIGSTOP');
  }

  resume(): void {
    this.server.kill('SIGCONT');
  }

  /** As a crash does. */
  async kill(): Promise<void> {
    const { server, guard } = this;
    guard.kill('SIGKILL');
    if (server.exitCode !== null || server.signalCode !== null) return;
    server.kill('SIGKILL');
    await once(server, 'exit');
  }
}
