/** Which faults there are, and in which families they come. */
import type { FaultEffect, FaultKind } from './fault.interface.js';
import * as clock from './clock.faults.js';
import * as data from './data.faults.js';
import * as failover from './failover.faults.js';
import * as network from './network.faults.js';
import * as process from './process.faults.js';

export const EFFECTS: Readonly<Record<FaultKind, FaultEffect>> = {
  lose: network.onTheWay,
  slow: network.onTheWay,
  repeat: network.onTheWay,
  'cut-requests': network.onTheWay,
  'cut-replies': network.onTheWay,
  deaf: network.onTheWay,
  'late-news': network.onTheWay,
  'false-news': network.falseNews,
  reconnect: network.reconnect,
  crash: process.crash,
  pause: process.pause,
  block: process.block,
  stop: process.stop,
  'step-down': process.stepDown,
  work: process.work,
  suspend: clock.suspend,
  'wall-step': clock.wallStep,
  'set-back': clock.setBack,
  'set-forward': clock.setForward,
  'restart-empty': data.restartEmpty,
  'restart-old': data.restartOld,
  stall: data.stall,
  flush: data.flush,
  'evict-lease': data.evictLease,
  'evict-record': data.evictRecord,
  failover: failover.failover,
  lag: failover.lag,
  split: failover.split,
};

const NETWORK = [
  'lose',
  'slow',
  'repeat',
  'cut-requests',
  'cut-replies',
  'deaf',
  'late-news',
  'false-news',
  'reconnect',
] as const satisfies readonly FaultKind[];
const PROCESSES = ['crash', 'pause', 'block', 'stop', 'step-down', 'work'] as const;
const CLOCKS = ['suspend', 'wall-step', 'set-back'] as const;
const DATA = [
  'restart-empty',
  'restart-old',
  'stall',
  'flush',
  'evict-lease',
  'evict-record',
] as const;
/** What makes the leader fall silent, without which nothing else shows. */
const SILENCE = ['cut-requests', 'cut-replies', 'crash', 'pause'] as const;

export interface Family {
  readonly kinds: readonly FaultKind[];
  /** How many independent servers there may be. */
  readonly servers: readonly number[];
  /** How many replicas each may have. */
  readonly replicas: readonly number[];
  /** Whether a yes waits for all replicas; 'maybe' for either. */
  readonly acks: 'never' | 'maybe' | 'always';
}

const ALONE = { servers: [1], replicas: [0], acks: 'never' } as const;
const REPLICATED = { servers: [1], replicas: [1, 2] } as const;

export const FAMILIES = {
  network: { ...ALONE, kinds: NETWORK },
  processes: { ...ALONE, kinds: [...PROCESSES, 'cut-replies'] },
  clocks: { ...ALONE, kinds: [...CLOCKS, ...SILENCE] },
  data: { ...ALONE, kinds: [...DATA, ...SILENCE, 'slow', 'repeat', 'set-back'] },
  failover: { ...REPLICATED, acks: 'maybe', kinds: ['failover', 'lag', ...SILENCE] },
  'split-brain': { ...REPLICATED, acks: 'always', kinds: ['split', 'failover', 'lag', ...SILENCE] },
  quorum: {
    servers: [3, 5],
    replicas: [0],
    acks: 'never',
    kinds: [...NETWORK, ...PROCESSES, ...CLOCKS, ...DATA],
  },
  mixed: {
    ...REPLICATED,
    acks: 'maybe',
    kinds: [...NETWORK, ...PROCESSES, ...CLOCKS, ...DATA, 'failover', 'lag'],
  },
} as const satisfies Record<string, Family>;

export type FamilyName = keyof typeof FAMILIES;
