/** Three real processes and a Redis. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import { sharedNowMs } from '../../lib/index.js';
import type { DemoRedis } from './demo-redis.js';
import { type Audience, NODES, type Stage } from './stage.interface.js';
import type { DemoWorkerMessage, DemoWorkerOptions } from './worker.js';

const WORKER = fileURLToPath(new URL('worker.js', import.meta.url));

export class ProcessStage implements Stage {
  readonly intro: readonly string[];
  readonly crashing = { label: 'SIGKILL', since: 'after the kill' };
  readonly leaving = { label: 'SIGTERM', since: 'after SIGTERM' };
  private readonly children = new Map<string, ChildProcess>();

  constructor(private readonly redis: DemoRedis) {
    this.intro = [`three processes and ${redis.description}`, ...redis.notes];
    // Whatever ends this process: none of them stays.
    process.on('exit', () => this.killAll());
  }

  async start(audience: Audience): Promise<void> {
    await Promise.all(NODES.map((node) => this.startOne(node, audience)));
  }

  crash(node: string): number {
    return this.signal(node, 'SIGKILL');
  }

  leave(node: string): number {
    return this.signal(node, 'SIGTERM');
  }

  async close(): Promise<void> {
    this.killAll();
    await Promise.all([...this.children.values()].map((child) => ended(child)));
    await this.redis.close();
  }

  private async startOne(node: string, audience: Audience): Promise<void> {
    const { election, url } = this.redis;
    const options: DemoWorkerOptions = { node, election, redis: url };
    const child = spawn(process.execPath, [WORKER], {
      env: { ...process.env, DEMO_WORKER: JSON.stringify(options) },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.children.set(node, child);
    void ended(child).then(() => audience.event({ kind: 'gone', node, at: sharedNowMs() }));
    await new Promise<void>((resolve, reject) => {
      child.on('message', (message: DemoWorkerMessage) => {
        if ('ready' in message) resolve();
        else audience.event(message.event);
      });
      child.once('error', reject);
      child.once('exit', () => reject(new Error(`Process ${node} ended before it was ready.`)));
    });
  }

  private signal(node: string, signal: 'SIGKILL' | 'SIGTERM'): number {
    const at = sharedNowMs();
    this.children.get(node)?.kill(signal);
    return at;
  }

  private killAll(): void {
    for (const child of this.children.values()) child.kill('SIGKILL');
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}
