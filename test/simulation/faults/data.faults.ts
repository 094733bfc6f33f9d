/** Servers that restart, stand still, and forget. */
import { copyOf } from '../model/server-node.js';
import type { StoredElection } from '../../../lib/stores/memory/lease-rules.js';
import type { FaultEffect } from './fault.interface.js';
import { memberOf } from './whom.js';

const EMPTY: StoredElection = { lease: null, record: null };

export const restartEmpty: FaultEffect = (scene, fault) => {
  const member = memberOf(scene, fault);
  const node = member.primary;
  if (!node.isUp || !scene.limits.mayLose(member, fault.forMs)) return null;
  node.goDown(copyOf(EMPTY));
  scene.world.note?.(node.name, 'goes down');
  return () => member.comeUp(node);
};

/** With the data of its last snapshot, which another one may have overtaken. */
export const restartOld: FaultEffect = (scene, fault) => {
  const member = memberOf(scene, fault);
  const node = member.primary;
  if (!node.isUp || !scene.limits.mayLose(member, fault.forMs)) return null;
  node.goDown(copyOf(node.saved));
  scene.world.note?.(node.name, 'goes down');
  return () => member.comeUp(node);
};

/** It answers nothing, and then all at once. */
export const stall: FaultEffect = (scene, fault) => {
  const node = memberOf(scene, fault).primary;
  node.stall();
  return () => node.goOn();
};

export const flush: FaultEffect = (scene, fault) => {
  const member = memberOf(scene, fault);
  if (!scene.limits.mayForget(member)) return null;
  member.primary.data = copyOf(EMPTY);
  member.replicate(member.primary);
  return null;
};

export const evictLease: FaultEffect = (scene, fault) => {
  const member = memberOf(scene, fault);
  const { data } = member.primary;
  if (data.record === null && !scene.limits.mayForget(member)) return null;
  data.lease = null;
  member.replicate(member.primary);
  return null;
};

export const evictRecord: FaultEffect = (scene, fault) => {
  const member = memberOf(scene, fault);
  if (!scene.limits.mayForgetRecord(member)) return null;
  member.primary.data.record = null;
  member.replicate(member.primary);
  return null;
};
