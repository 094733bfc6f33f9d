import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { awaitUntil } from '../await-until.js';
import { freePort } from './free-port.js';

const START_TIMEOUT_MS = 10_000;
const START_ATTEMPTS = 5;
/** ioredis would keep a timer for two seconds, and the test process with it. */
const DISCONNECT_TIMEOUT_MS = 20;

export interface RedisServerOptions {
  /** As in redis.conf, for example `{ maxmemory: '2mb' }`. */
  readonly settings?: Readonly<Record<string, string>>;
}

/**
 * A real Redis of its own for a test: on a free loopback port, in a temporary directory, with nothing saved.
 *
 * Whatever becomes of the test process, the server goes with it: a guard process holds a pipe to it and kills the
 * server when the pipe closes. (An 'exit' handler would not run when a jest worker is killed.)
 */
export class RedisServer {
  /** For looking from outside, and for configuring the server. It reconnects by itself. */
  readonly admin: Redis;
  private process: ChildProcess | null = null;
  private guard: ChildProcess | null = null;

  private constructor(
    readonly port: number,
    readonly directory: string,
    private readonly settings: Readonly<Record<string, string>>,
  ) {
    this.admin = new Redis({
      port,
      host: '127.0.0.1',
      lazyConnect: true,
      retryStrategy: () => 10,
      maxRetriesPerRequest: null,
      disconnectTimeout: DISCONNECT_TIMEOUT_MS,
    });
    // Expected while the server is down; what a test asks for then waits in the queue.
    this.admin.on('error', () => undefined);
  }

  static async start({ settings = {} }: RedisServerOptions = {}): Promise<RedisServer> {
    const directory = await mkdtemp(join(tmpdir(), 'leader-election-redis-'));
    for (let attempt = 1; ; attempt += 1) {
      const server = new RedisServer(await freePort(), directory, settings);
      try {
        await server.launch();
        return server;
      } catch (error) {
        server.admin.disconnect();
        // Somebody else may have taken the port meanwhile.
        if (attempt === START_ATTEMPTS) throw error;
      }
    }
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Ends the server and removes what it left. */
  async stop(): Promise<void> {
    await this.kill();
    this.admin.disconnect();
    await rm(this.directory, { recursive: true, force: true });
  }

  /** As a crash does. */
  async kill(): Promise<void> {
    const { process: running, guard } = this;
    this.process = null;
    this.guard = null;
    guard?.kill('SIGKILL');
    if (running === null || running.exitCode !== null || running.signalCode !== null) return;
    running.kill('SIGKILL');
    await once(running, 'exit');
  }

  /** The server answers nothing more, and its connections stay open. */
  pause(): void {
    this.process?.kill('SIGSTOP');
  }

  resume(): void {
    this.process?.kill('SIGCONT');
  }

  /** Starts again on the same port, after `kill()`. */
  async launch(): Promise<void> {
    const settings = {
      port: String(this.port),
      bind: '127.0.0.1',
      dir: this.directory,
      save: '',
      appendonly: 'no',
      ...this.settings,
    };
    const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
    const server = spawn('redis-server', args, { stdio: 'ignore' });
    this.process = server;
    await once(server, 'spawn');
    this.guard = spawn('sh', ['-c', 'read _; kill -9 "$1"', 'guard', String(server.pid)], {
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    await awaitUntil(() => this.isServing(server), {
      timeoutMs: START_TIMEOUT_MS,
      what: `redis-server answers on port ${this.port}`,
    });
  }

  /** The same data, another server: a clean restart. */
  async restart(): Promise<void> {
    await this.admin.save();
    await this.kill();
    await this.launch();
  }

  /** A restart that loses all data. */
  async restartEmpty(): Promise<void> {
    await this.kill();
    await rm(join(this.directory, 'dump.rdb'), { force: true });
    await this.launch();
  }

  /** The server's clock, which scripts go by. */
  async nowMs(): Promise<number> {
    const [seconds, microseconds] = await this.admin.time();
    return Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000);
  }

  /** Lets that much of the server's time pass. */
  async elapse(ms: number): Promise<void> {
    const until = (await this.nowMs()) + ms;
    await awaitUntil(async () => (await this.nowMs()) > until, { what: `${ms} ms pass` });
  }

  /** The 'auto' hold-off looks at how long a server has been up, in whole seconds. */
  async untilUpFor(seconds: number): Promise<void> {
    await awaitUntil(
      async () => Number(await this.info('server', 'uptime_in_seconds')) >= seconds,
      { what: `the server is up for ${seconds} s` },
    );
  }

  /** One line of INFO. */
  async info(section: string, field: string): Promise<string | undefined> {
    const text = await this.admin.info(section);
    return new RegExp(`^${field}:(.*?)\\r?$`, 'm').exec(text)?.[1];
  }

  /** True when it's this very process that answers, and not another one on its port. */
  private async isServing(server: ChildProcess): Promise<boolean> {
    if (server.exitCode !== null) throw new Error(`redis-server exited with ${server.exitCode}.`);
    const probe = new Redis({
      port: this.port,
      host: '127.0.0.1',
      lazyConnect: true,
      retryStrategy: () => null,
      disconnectTimeout: DISCONNECT_TIMEOUT_MS,
    });
    probe.on('error', () => undefined);
    try {
      await probe.connect();
      return (await probe.info('server')).includes(`process_id:${server.pid}\r`);
    } catch {
      return false;
    } finally {
      probe.disconnect();
    }
  }
}
