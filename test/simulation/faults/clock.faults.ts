/** Machines that sleep, and clocks that somebody sets. */
import { TTL_MS } from '../plan.js';
import type { FaultEffect } from './fault.interface.js';
import { memberOf, seatOf } from './whom.js';

const MS_FOR_EACH = 8;

/** The monotonic clock stands still, the wall clock goes on. */
export const suspend: FaultEffect = (scene, fault) => {
  const seat = seatOf(scene, fault);
  const { process } = seat;
  const { now } = scene.world;
  if (process === null || process.clock.isHeld || now - seat.setBackAt < TTL_MS) return null;
  process.clock.fallAsleep();
  seat.sleptAt = Infinity;
  return () => {
    seat.sleptAt = scene.world.now;
    process.resume(fault.amount % 2 === 0, () => process.clock.wakeUp());
  };
};

export const wallStep: FaultEffect = (scene, fault) => {
  const seat = seatOf(scene, fault);
  const stepMs = (fault.amount - 500) * MS_FOR_EACH;
  const { now } = scene.world;
  if (seat.process === null) return null;
  if (stepMs < 0) {
    // Together with a sleep of that length, between two looks at the clock, it would stay unseen; and a step ahead
    // that is taken back before anybody looks never was.
    if (now - Math.max(seat.sleptAt, seat.setAheadAt) < TTL_MS) return null;
    seat.setBackAt = now;
  } else {
    seat.setAheadAt = now;
  }
  seat.process.clock.stepWall(stepMs);
  return null;
};

export const setBack: FaultEffect = (scene, fault) => {
  const member = memberOf(scene, fault);
  if (!scene.limits.maySetBack(member)) return null;
  member.primary.clock.stepWall(-fault.amount * MS_FOR_EACH);
  return null;
};

/** Not promised: a lease ends early by it. */
export const setForward: FaultEffect = (scene, fault) => {
  memberOf(scene, fault).primary.clock.stepWall(fault.amount * MS_FOR_EACH);
  return null;
};
