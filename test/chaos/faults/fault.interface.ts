/** What a fault is to the rest of the runner. */
import type { Fleet } from '../fleet.js';

/** Drawn from the seed before it is played, so that a seed repeats the same faults whatever they lead to. */
export interface PlannedFault {
  readonly kind: string;
  /** How long nothing happens before it. */
  readonly pauseMs: number;
  /** Between 0 and 1: how long, how strong, which variant. */
  readonly amount: number;
  /** Between 0 and 1: which worker or server. */
  readonly whom: number;
  /** Whether it hits the leader, where there is one. */
  readonly leader: boolean;
}

export interface Scene {
  readonly fleet: Fleet;
  readonly ttlMs: number;
}

/**
 * Plays a fault from its beginning to its end; gives the worker that it hit, where it hits one only. Rejects where it
 * could not be made to happen.
 */
export type Play = (scene: Scene, fault: PlannedFault) => Promise<string | void>;

export type FaultKinds = Readonly<Record<string, Play>>;

/** A fault whose turn came at a moment when it must not or cannot happen. Not counted. */
export class NotNow extends Error {}

/** A fault that was played, on the clock of the history. */
export interface PlayedFault {
  readonly kind: string;
  readonly from: number;
  readonly until: number;
  readonly node?: string;
  readonly failed?: string;
}

/** The value at that part of the range. */
export function between(from: number, to: number, part: number): number {
  return Math.round(from + (to - from) * part);
}

export function oneOf<T>(choices: readonly T[], part: number): T {
  const chosen = choices[Math.min(choices.length - 1, Math.floor(part * choices.length))];
  if (chosen === undefined) throw new NotNow('There is nothing to choose from.');
  return chosen;
}

/** Another number between 0 and 1, for a second choice. */
export function digitsOf(part: number): number {
  return (part * 997) % 1;
}
