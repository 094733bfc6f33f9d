import { Redis, type Cluster, type RedisOptions } from 'ioredis';

/** What `redis` may be: a URL, ioredis options, or a client of yours, which is duplicated and never closed. */
export type RedisSource = string | RedisOptions | Redis | Cluster;

export type RedisClient = Redis | Cluster;

/** Reconnecting starts at once and is never given up; the pause between two tries grows up to this. */
const LONGEST_RECONNECT_DELAY_MS = 250;
const CONNECT_TIMEOUT_MS = 2000;
/** How long a server that has accepted a connection may take until it can be used. */
export const HANDSHAKE_TIMEOUT_MS = 2000;
/** How long one Sentinel, or one node of a Cluster, may take to tell where the primaries are. */
const DISCOVERY_TIMEOUT_MS = 1000;
const LOADING_RETRY_MS = 250;
/** How long a socket that is being closed may linger before it is destroyed. */
const DISCONNECT_TIMEOUT_MS = 20;

/**
 * ioredis' defaults are made for a cache: queue while offline, send again what was not answered. For a lease each of
 * them lets a stale command run later (rule 24), so all that matters is said here, whatever the user's client has.
 */
function leaseSafeOptions() {
  return {
    lazyConnect: true,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    // The handshake counts as commands too; `RedisConnection` has timeouts of its own for both.
    commandTimeout: undefined,
    socketTimeout: undefined,
    connectTimeout: CONNECT_TIMEOUT_MS,
    disconnectTimeout: DISCONNECT_TIMEOUT_MS,
    // ioredis 5 without it calls itself ready before AUTH is answered, so that with a wrong password commands run as
    // the default user; and again after a socket has closed in the handshake, and then it never connects again
    // (redis/ioredis issue 2099). A user who lacks INFO passes it, with a warning of ioredis' own.
    enableReadyCheck: true,
    // It asks a loading server again when that expects to be done, which may be minutes off; often enough is better.
    maxLoadingRetryTime: LOADING_RETRY_MS,
    autoResubscribe: false,
    enableAutoPipelining: false,
    monitor: false,
    replyMapping: 'legacy' as const,
    retryStrategy: reconnectDelay,
    // Only a primary grants leases, whatever the user's client reads from.
    role: 'master' as const,
    readOnly: false,
    // Without it a Sentinel that accepts connections and says nothing is waited for without end.
    sentinelCommandTimeout: DISCOVERY_TIMEOUT_MS,
    sentinelRetryStrategy: reconnectDelay,
  };
}

function reconnectDelay(times: number): number {
  return Math.min(LONGEST_RECONNECT_DELAY_MS, 10 * 2 ** Math.min(times, 10)) * jitter();
}

function jitter(): number {
  return 0.5 + Math.random() / 2;
}

function clusterOptions(source: Cluster) {
  const { redisOptions } = source.options;
  return {
    lazyConnect: true,
    enableOfflineQueue: false,
    enableAutoPipelining: false,
    // It would ask whether the Cluster is up as a whole, of one node, which may be silent, and by a command that the
    // user may lack. Each node is asked by our own requests.
    enableReadyCheck: false,
    retryDelayOnMoved: 0,
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    retryDelayOnTryAgain: 0,
    slotsRefreshTimeout: DISCOVERY_TIMEOUT_MS,
    scaleReads: 'master' as const,
    shardedSubscribers: false,
    clusterRetryStrategy: reconnectDelay,
    // A node that was lost is connected to when it is asked next, if it still serves anything.
    clusterNodeRetryStrategy: null,
    redisOptions: { ...redisOptions, ...leaseSafeOptions(), keyPrefix: keyPrefixOf(source) },
  };
}

/** A client of our own that connects to the same place, not connected yet. */
export function openClient(source: RedisSource): RedisClient {
  const own = leaseSafeOptions();
  // In a URL's query options may stand as well, and ioredis prefers those to what is passed beside it.
  if (typeof source === 'string') return new Redis(source, { lazyConnect: true }).duplicate(own);
  if (isCluster(source)) {
    return source.duplicate([], clusterOptions(source));
  }
  if (isClient(source)) return source.duplicate(own);
  return new Redis({ ...source, ...own });
}

/** By shape: the client may come from another copy of ioredis. */
export function isCluster(source: RedisSource): source is Cluster {
  return typeof source === 'object' && 'isCluster' in source && source.isCluster;
}

export function isClient(source: RedisSource): source is Redis {
  return (
    typeof source === 'object' && 'duplicate' in source && typeof source.duplicate === 'function'
  );
}

/** The number of the database that the client should work in; a Cluster has only 0. */
export function databaseOf(client: RedisClient): number {
  return isCluster(client) ? 0 : (client.options.db ?? 0);
}

/** ioredis puts this before script keys, but not before channels. */
export function keyPrefixOf(client: RedisClient): string {
  return client.options.keyPrefix ?? '';
}
