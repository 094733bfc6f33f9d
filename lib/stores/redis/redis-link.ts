import type { Redis } from 'ioredis';
import { LeaseStoreError } from '../../election/election.errors.js';
import { ClusterRoute } from './cluster-route.js';
import { HandshakeLimit } from './handshake-limit.js';
import { databaseOf, isCluster, type RedisClient } from './redis-client.js';
import { stillLoading, tellsLess, toStoreError } from './redis-errors.js';
import { onlyRoute, type Route } from './redis-route.js';

const REVIVE_DELAY_MS = 500;
const CLOSE_TIMEOUT_MS = 200;
const LEAVE_EVERY_MS = 500;

/**
 * One connection of our own, kept alive: it connects on first use, reconnects for ever, and gives up a server that
 * accepts connections but never completes the handshake. It is usable only once the database was selected: where
 * Redis refuses that, ioredis goes on in database 0, and there would be an election in each.
 *
 * To a Cluster it is one such connection for each node that is needed, each with a life of its own.
 */
export class RedisLink {
  private opened = false;
  private closed = false;
  private ready = false;
  private haveOutcome: () => void = () => undefined;
  private readonly firstOutcome: Promise<void>;
  private lastError: LeaseStoreError | null = null;
  private leftAt = -Infinity;
  private reviveTimer: NodeJS.Timeout | undefined;
  /** A Cluster client is ready as soon as it knows the slots; its nodes have each their own. */
  private readonly handshake: HandshakeLimit | null;
  private readonly route: Route;

  constructor(
    readonly client: RedisClient,
    private readonly on: { ready?(): void; recovered?(): void },
  ) {
    this.firstOutcome = new Promise((resolve) => (this.haveOutcome = resolve));
    this.handshake = isCluster(client)
      ? null
      : new HandshakeLimit(client, {
          silent: () => client.disconnect(true),
          loading: () => {
            this.sawError(stillLoading());
            this.haveOutcome();
          },
        });
    this.route = isCluster(client)
      ? new ClusterRoute(client, {
          failed: (error) => this.sawError(error),
          recovered: () => this.on.recovered?.(),
        })
      : onlyRoute(client);
  }

  /** Whether commands can be sent now. */
  get isReady(): boolean {
    return this.ready;
  }

  /** In a Cluster, keys are on different servers. */
  get hasSeveralServers(): boolean {
    return isCluster(this.client);
  }

  /** Starts to connect, once. Never throws. */
  open(): void {
    if (this.opened || this.closed) return;
    this.opened = true;
    const { client } = this;
    let hadOutage = false;
    client.on('error', (error: unknown) => {
      this.sawError(error);
      // Where no Sentinel answers, ioredis goes on asking them in turn, and comes to no other end.
      this.haveOutcome();
    });
    client.on('sentinelError', (error: unknown) => this.sawError(error));
    client.on('connect', () => this.handshake?.start());
    client.on('close', () => {
      hadOutage = true;
      this.ready = false;
      this.handshake?.stop();
      this.haveOutcome();
    });
    client.on('ready', () => {
      this.selectDatabase().then(
        () => {
          // Closed meanwhile: the next connection has a turn of its own.
          if (client.status !== 'ready') return;
          this.handshake?.stop();
          this.ready = true;
          this.lastError = null;
          this.haveOutcome();
          this.on.ready?.();
          if (hadOutage) this.on.recovered?.();
        },
        // Stays unusable until the handshake's time is up, and then tries again on a new connection.
        (error: unknown) => {
          this.sawError(error);
          this.haveOutcome();
        },
      );
    });
    // ioredis gives up in some states, for example when no Sentinel answers; a candidate must not.
    client.on('end', () => {
      this.haveOutcome();
      if (!this.closed) this.reviveTimer = setTimeout(() => this.connect(), REVIVE_DELAY_MS);
    });
    this.connect();
  }

  /**
   * Calls `command` with the connection to the server that has this key, once it can be used, and once more where a
   * Cluster says that another node has it. Rejects with the reason why there is no such connection, and calls
   * nothing once it is too late: a stale command must not run (rule 24).
   */
  async send<T>(
    key: string,
    command: (connection: Redis) => Promise<T>,
    isLate: () => boolean,
  ): Promise<T> {
    await this.usable();
    const connection = await this.route.connectionFor(key);
    assertInTime(isLate);
    try {
      return await command(connection);
    } catch (error) {
      const redirection = await this.route.redirected(error);
      if (redirection === null) throw error;
      assertInTime(isLate);
      // What fails here fails the command as well.
      if (redirection.asking) redirection.connection.asking().catch(() => undefined);
      return command(redirection.connection);
    }
  }

  /**
   * Drops a connection, and with it what is in flight there, which rejects. One that is not ready is left alone: a
   * handshake may take longer than a command, and would otherwise begin anew for ever.
   */
  drop(connection: Redis): void {
    if (connection === this.client) this.reset();
    else this.route.drop(connection);
  }

  /** This server is a replica now: another one may be found under the same address, so it looks, though not all the time. */
  leave(connection: Redis): void {
    const now = performance.now();
    if (now - this.leftAt < LEAVE_EVERY_MS) return;
    this.leftAt = now;
    this.drop(connection);
  }

  /** Drops everything and connects anew. */
  reset(): void {
    if (!this.ready) return;
    // Right away, and not when the socket has closed: nothing may be sent on it, and nobody drops it once more.
    this.ready = false;
    this.client.disconnect(true);
  }

  /** Never hangs and never rejects. */
  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    this.haveOutcome();
    this.handshake?.stop();
    clearTimeout(this.reviveTimer);
    if (!this.opened || this.client.status === 'end') {
      this.client.disconnect();
      return;
    }
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, CLOSE_TIMEOUT_MS);
      this.client.once('end', () => {
        clearTimeout(timer);
        resolve();
      });
      this.client.disconnect();
    });
  }

  private async usable(): Promise<void> {
    this.open();
    // Only the first connection is waited for: an application that starts should not report an outage.
    if (!this.ready && !this.closed) await this.firstOutcome;
    if (this.closed) throw new LeaseStoreError('unreachable', 'The lease store is closed.');
    if (!this.ready) {
      throw this.lastError ?? new LeaseStoreError('unreachable', 'Not connected to Redis.');
    }
  }

  private sawError(error: unknown): void {
    const next = toStoreError(error);
    if (this.lastError === null || !tellsLess(next, this.lastError)) this.lastError = next;
  }

  private connect(): void {
    // What fails here comes as an 'error' event too, and the retry strategy takes it from there.
    this.client.connect().catch((error: unknown) => this.sawError(error));
  }

  private async selectDatabase(): Promise<void> {
    const database = databaseOf(this.client);
    if (database !== 0) await this.client.select(database);
  }
}

function assertInTime(isLate: () => boolean): void {
  if (isLate()) throw new LeaseStoreError('unreachable', 'Not connected in time.');
}
