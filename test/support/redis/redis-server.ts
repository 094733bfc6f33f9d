import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis, type RedisOptions } from 'ioredis';
import { awaitUntil } from '../await-until.js';
import { freePort } from './free-port.js';
import { GuardedProcess } from './guarded-process.js';
import { adminTls, argumentsOf, type ServerTls } from './redis-arguments.js';

const START_TIMEOUT_MS = 10_000;
const START_ATTEMPTS = 5;
/** ioredis would keep a timer for two seconds, and the test process with it. */
const DISCONNECT_TIMEOUT_MS = 20;

type AdminOptions = Pick<RedisOptions, 'retryStrategy' | 'maxRetriesPerRequest'>;

export interface RedisServerOptions {
  /** As in redis.conf, for example `{ maxmemory: '2mb' }`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Serves TLS, and nothing else. */
  readonly tls?: ServerTls;
  /** A node of a Cluster; `RedisCluster` makes one of several. */
  readonly cluster?: boolean;
  /** A Sentinel in place of a server, with the lines of its configuration; `SentinelSet` starts those. */
  readonly sentinel?: readonly string[];
}

/**
 * A real Redis of its own for a test: on a free loopback port, in a temporary directory, with nothing saved. Whatever
 * becomes of the test process, the server goes with it.
 */
export class RedisServer {
  /** For looking from outside, and for configuring the server. It reconnects by itself. */
  readonly admin: Redis;
  private process: GuardedProcess | null = null;
  private tls: ServerTls | undefined;

  private constructor(
    readonly port: number,
    /** Other nodes of a Cluster talk to it here. */
    readonly busPort: number,
    readonly directory: string,
    private readonly options: RedisServerOptions,
  ) {
    this.tls = options.tls;
    this.admin = this.connectAdmin({ retryStrategy: () => 10, maxRetriesPerRequest: null });
  }

  static async start(options: RedisServerOptions = {}): Promise<RedisServer> {
    const directory = await mkdtemp(join(tmpdir(), 'leader-election-redis-'));
    for (let attempt = 1; ; attempt += 1) {
      const server = new RedisServer(await freePort(), await freePort(), directory, options);
      try {
        await server.launch();
        return server;
      } catch (error) {
        await server.kill();
        server.admin.disconnect();
        // Somebody else may have taken the port meanwhile.
        if (attempt === START_ATTEMPTS) throw error;
      }
    }
  }

  get url(): string {
    return `redis${this.tls ? 's' : ''}://127.0.0.1:${this.port}`;
  }

  get address(): { readonly host: string; readonly port: number } {
    return { host: '127.0.0.1', port: this.port };
  }

  /** Ends the server and removes what it left. */
  async stop(): Promise<void> {
    await this.kill();
    this.admin.disconnect();
    await rm(this.directory, { recursive: true, force: true });
  }

  /** As a crash does. */
  async kill(): Promise<void> {
    const { process: running } = this;
    this.process = null;
    await running?.kill();
  }

  /** The server answers nothing more, and its connections stay open. */
  pause(): void {
    this.process?.pause();
  }

  resume(): void {
    this.process?.resume();
  }

  /** Starts again on the same port, after `kill()`. */
  async launch(): Promise<void> {
    const { port, busPort, directory, tls, options } = this;
    const args = await argumentsOf({ ...options, port, busPort, directory, tls });
    const server = await GuardedProcess.spawn('redis-server', args);
    this.process = server;
    await awaitUntil(() => this.isServing(server), {
      timeoutMs: START_TIMEOUT_MS,
      what: `redis-server answers on port ${this.port}`,
    });
  }

  /** The same server with another certificate. */
  async restartWith(tls: ServerTls): Promise<void> {
    await this.kill();
    this.tls = tls;
    await this.launch();
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
  private async isServing(server: GuardedProcess): Promise<boolean> {
    if (server.exitCode !== null) throw new Error(`redis-server exited with ${server.exitCode}.`);
    const probe = this.connectAdmin({ retryStrategy: () => null });
    try {
      await probe.connect();
      return (await probe.info('server')).includes(`process_id:${server.pid}\r`);
    } catch {
      return false;
    } finally {
      probe.disconnect();
    }
  }

  private connectAdmin(options: AdminOptions): Redis {
    const client = new Redis({
      ...this.address,
      ...adminTls(this.tls),
      ...options,
      lazyConnect: true,
      disconnectTimeout: DISCONNECT_TIMEOUT_MS,
    });
    // Expected while the server is down; what a test asks for then waits in the queue.
    client.on('error', () => undefined);
    return client;
  }
}
