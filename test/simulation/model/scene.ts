/** Everybody who plays a part in one run, for whatever makes something happen to them. */
import type { Plan } from '../plan.js';
import type { Limits } from './limits.js';
import type { Member } from './member.js';
import type { Observer } from './observer.js';
import type { Seat } from './seat.js';
import type { World } from './world.js';

export interface Scene {
  readonly world: World;
  readonly plan: Plan;
  readonly seats: readonly Seat[];
  /** The independent servers: one, or a quorum of them. */
  readonly members: readonly Member[];
  readonly observer: Observer;
  /** What must not come together, as the promise says. */
  readonly limits: Limits;
}
