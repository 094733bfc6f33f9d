/** Servers that an election may live on, and how workers reach them. */
import type { WorkerRedis } from '../../support/process/worker-redis.js';
import type { TcpProxy } from '../../support/redis/tcp-proxy.js';
import type { FaultKinds } from '../faults/fault.interface.js';
import type { Failover } from '../failover.js';

/** The way of one worker: what it is told, and the networks that it goes through. */
export interface Route {
  readonly redis: WorkerRedis;
  readonly networks: readonly TcpProxy[];
}

export interface Topology {
  readonly faults: FaultKinds;
  /** How long after the end of all faults somebody must lead, beside two leases. */
  readonly recoveryMs: number;
  /** Kills the primary in a calm, where another server takes its place. */
  readonly failover?: Failover;
  openRoute(): Promise<Route>;
  /** Once no fault is under way: until every server is up and knows its place. */
  untilWhole(): Promise<void>;
  stop(): Promise<void>;
}
