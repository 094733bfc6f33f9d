/** What a test and its worker processes say to each other. */
import type { LogLevel } from '@nestjs/common';

import type { HistoryEvent } from '../../../lib/index.js';
import type { WorkerRedis } from './worker-redis.js';

/** The environment variable that brings the options. */
export const WORKER_OPTIONS = 'LEADER_ELECTION_WORKER';

export interface WorkerOptions {
  readonly node: string;
  readonly redis: WorkerRedis;
  readonly election?: string;
  readonly leaseTtlMs?: number;
  readonly drainTimeoutMs?: number;
  readonly holdOff?: 'auto' | 'always' | 'never';
  readonly minReplicaAcks?: number;
  /** Whether SIGTERM closes the application: `enableShutdownHooks()`. @default true */
  readonly shutdownHooks?: boolean;
  /** `http` listens on a port, `context` is `createApplicationContext()`. @default 'http' */
  readonly kind?: 'http' | 'context';
  /** Synchronous work in the `onApplicationBootstrap` of a provider of the application. */
  readonly bootSpinMs?: number;
  /** How many applications this process has; only the first one speaks. @default 1 */
  readonly applications?: number;
  /** What Nest's logger writes. @default everything */
  readonly logLevels?: readonly LogLevel[];
}

/** What a test asks of a worker, and what it gets. */
export interface WorkerCalls {
  status: { args: Record<string, never>; result: WorkerStatus };
  /** A leader-only method that takes that long. `spin` blocks the event loop. */
  work: { args: { ms: number; how: 'sleep' | 'spin' }; result: WorkResult };
  /** Blocks the event loop outside of any leader-only method, then calls one at once. */
  spin: { args: { ms: number }; result: { leaderAfter: boolean; ranAfter: boolean } };
  /** Calls a leader-only method that often, until the process ends. */
  hammer: { args: { everyMs: number }; result: null };
  stepDown: { args: { cooldownMs: number }; result: null };
  close: { args: Record<string, never>; result: { tookMs: number } };
  /** What is in use after a garbage collection. */
  memory: { args: Record<string, never>; result: { heapBytes: number } };
}

export type WorkerCall = keyof WorkerCalls;

export interface WorkerStatus {
  readonly state: string;
  readonly isLeader: boolean;
  readonly epoch: number | null;
  readonly port: number | null;
  /** How often a lease was renewed. */
  readonly renewals: number;
  /** How many leader-only calls ran and were skipped. */
  readonly runs: number;
  readonly skips: number;
  /** How often `leadership$` said true, and false after that. */
  readonly gains: number;
  readonly losses: number;
}

export interface WorkResult {
  /** False where the worker did not lead. */
  readonly ran: boolean;
  readonly startedAt: number;
  readonly endedAt: number;
  /** What `isLeader` said right at the end, in the same tick. */
  readonly leaderAtEnd: boolean;
  readonly abortedAtEnd: boolean;
}

export interface WorkerRequest {
  readonly id: number;
  readonly call: WorkerCall;
  readonly args: unknown;
}

export type WorkerMessage =
  | { readonly type: 'ready' }
  | { readonly type: 'event'; readonly event: HistoryEvent }
  | { readonly type: 'reply'; readonly id: number; readonly result: unknown }
  | { readonly type: 'failed'; readonly id: number; readonly error: string };
