/** What a worker is told of its Redis, as plain JSON, and what it makes of that. */
import { readFileSync } from 'node:fs';

import { Cluster } from 'ioredis';

import type { RedisSource } from '../../../lib/index.js';

export type WorkerRedis = string | readonly string[] | SentinelGroup | ClusterGroup | TlsServer;

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** What stands for `host:port` on the way of this worker, since each has a network of its own. */
export type Detours = Readonly<Record<string, Address>>;

export interface SentinelGroup {
  readonly kind: 'sentinel';
  readonly name: string;
  readonly sentinels: readonly Address[];
  readonly detours: Detours;
}

export interface ClusterGroup {
  readonly kind: 'cluster';
  readonly nodes: readonly Address[];
  readonly detours: Detours;
}

export interface TlsServer {
  readonly kind: 'tls';
  readonly port: number;
  /** Of the authority that the worker trusts. */
  readonly caFile: string;
}

export function redisSourceOf(redis: WorkerRedis): RedisSource | RedisSource[] {
  if (typeof redis === 'string') return redis;
  if (isSeveral(redis)) return [...redis];
  switch (redis.kind) {
    case 'sentinel':
      return { name: redis.name, sentinels: [...redis.sentinels], natMap: redis.detours };
    case 'cluster':
      // The election has connections of its own.
      return new Cluster([...redis.nodes], { natMap: redis.detours, lazyConnect: true });
    default:
      return { host: '127.0.0.1', port: redis.port, tls: { ca: readFileSync(redis.caFile) } };
  }
}

function isSeveral(redis: WorkerRedis): redis is readonly string[] {
  return Array.isArray(redis);
}
