/** What a fault is to the rest of the simulation. */
import type { Scene } from '../model/scene.js';
import type { Fault } from '../plan.js';

export type FaultKind =
  // network
  | 'lose'
  | 'slow'
  | 'repeat'
  | 'cut-requests'
  | 'cut-replies'
  | 'deaf'
  | 'late-news'
  | 'false-news'
  | 'reconnect'
  // processes
  | 'crash'
  | 'pause'
  | 'block'
  | 'stop'
  | 'step-down'
  | 'work'
  // clocks
  | 'suspend'
  | 'wall-step'
  | 'set-back'
  | 'set-forward'
  // data
  | 'restart-empty'
  | 'restart-old'
  | 'stall'
  | 'flush'
  | 'evict-lease'
  | 'evict-record'
  // failover
  | 'failover'
  | 'lag'
  | 'split';

/** Makes it happen; returns how it ends, or null where there is nothing to end. */
export type FaultEffect = (scene: Scene, fault: Fault) => (() => void) | null;
