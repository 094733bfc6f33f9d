/** Processes that die, stand still, leave, rest, and have work to finish first. */
import { FAULTS_END_MS } from '../plan.js';
import type { FaultEffect } from './fault.interface.js';
import { seatOf } from './whom.js';

export const crash: FaultEffect = (scene, fault) => {
  const seat = seatOf(scene, fault);
  if (seat.process === null || !scene.limits.mayGo) return null;
  seat.crash();
  return () => scene.limits.whenOpen(() => seat.start());
};

/** By SIGSTOP: its clocks go on. What has come due goes first when it goes on, or what has arrived. */
export const pause: FaultEffect = (scene, fault) => {
  const { process } = seatOf(scene, fault);
  if (process === null || process.clock.isHeld) return null;
  process.clock.pause();
  return () => process.resume(fault.amount % 2 === 0, () => process.clock.resume());
};

/** The event loop is blocked: the timers that came due run first after it. */
export const block: FaultEffect = (scene, fault) => {
  const { process } = seatOf(scene, fault);
  if (process === null || process.clock.isHeld) return null;
  process.clock.pause();
  return () => process.resume(true, () => process.clock.resume());
};

export const stop: FaultEffect = (scene, fault) => {
  const seat = seatOf(scene, fault);
  if (!scene.limits.mayGo) return null;
  const backAt = Math.min(fault.at + fault.forMs, FAULTS_END_MS);
  const join = () => scene.limits.whenOpen(() => seat.start());
  seat.stop(() => scene.world.at(backAt, join));
  return null;
};

export const stepDown: FaultEffect = (scene, fault) => {
  const { process } = seatOf(scene, fault);
  if (process === null || process.clock.isHeld) return null;
  const restMs = Math.min(fault.forMs, FAULTS_END_MS - fault.at);
  process.stepDown(fault.amount % 2 === 0 ? restMs : 0);
  return null;
};

/** Leader-only work that a drain has to wait for. */
export const work: FaultEffect = (scene, fault) => {
  const { process } = seatOf(scene, fault);
  return process === null ? null : process.work();
};
