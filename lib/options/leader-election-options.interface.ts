import type { ElectionListener } from '../election/election-events.interface.js';
import type { HoldOff, LeaseStore } from '../election/lease-store.interface.js';
import type { RedisSource } from '../stores/redis/redis-client.js';

/**
 * What one election can be told. All durations are whole milliseconds.
 *
 * @publicApi
 */
export interface ElectionOptions {
  /** What is contested: candidates with the same `name` and `keyPrefix` compete. @default 'default' */
  readonly name?: string | undefined;

  /**
   * How long a lease lasts without a renewal. After a crash nobody leads for up to this long; shorter than the
   * longest pause of a process, and leadership changes at every pause. @default 10_000, at least 100
   */
  readonly leaseTtlMs?: number | undefined;

  /** How often the leader renews. @default 0.33 × leaseTtlMs */
  readonly renewIntervalMs?: number | undefined;

  /**
   * How much earlier than the store the leader regards its lease as over. Covers clocks that run at different
   * rates. @default leaseTtlMs / 5, at least leaseTtlMs / 50 and 5
   */
  readonly safetyMarginMs?: number | undefined;

  /** How long one call to the store may take before it is given up and repeated. @default leaseTtlMs / 6 */
  readonly commandTimeoutMs?: number | undefined;

  /**
   * How long shutdown and `stepDown()` wait for running leader-only work; then its `signal` aborts, and where it
   * still goes on the lease is left to run out. 0 waits for nothing. @default 10_000
   */
  readonly drainTimeoutMs?: number | undefined;

  /**
   * When everyone waits for a lease duration because the server may have lost data. 'never' is for tests and demos:
   * with it a Redis that restarts empty can make two leaders. @default 'auto'
   */
  readonly holdOff?: HoldOff | undefined;

  /**
   * How many replicas must have each grant and renewal before it counts (by WAIT). With the number of all replicas a
   * primary that is cut off, and goes on accepting writes, cannot keep a leader; with fewer it can, while so many
   * are on its side. Nobody leads while fewer replicas answer. @default 0
   */
  readonly minReplicaAcks?: number | undefined;

  /** False: never lead, only watch who does. @default true */
  readonly campaign?: boolean | undefined;

  /** Advertised with the lease, for example `{ url }`: what `LeaderService.leader` shows. @default {} */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/**
 * Options of `LeaderElectionModule.forRoot`. Exactly one of `redis` and `store` is needed.
 *
 * @publicApi
 */
export interface LeaderElectionOptions extends ElectionOptions {
  /**
   * A URL, ioredis options, or an ioredis `Redis` or `Cluster`, which is duplicated and never closed. Several of
   * them, at least three and an odd number, are independent servers: the lease must be held on a majority.
   */
  readonly redis?: RedisSource | readonly RedisSource[] | undefined;

  /** In place of `redis`. It stays yours: it is not closed with the application. */
  readonly store?: LeaseStore | undefined;

  /** What every key in Redis begins with. @default 'leader-election' */
  readonly keyPrefix?: string | undefined;

  /** Names this instance in logs, records and responses; need not be unique. @default host:pid:random */
  readonly nodeId?: string | undefined;

  /** Hears what happens, for metrics. A listener that throws is reported once and changes nothing. */
  readonly events?: ElectionListener | undefined;
}

/**
 * Options of `LeaderElectionModule.forFeature`; what is left out is as in `forRoot`. With a `leaseTtlMs` of its own,
 * the durations that depend on it get their defaults from that one.
 *
 * @publicApi
 */
export interface FeatureElectionOptions extends ElectionOptions {
  readonly name: string;
}
