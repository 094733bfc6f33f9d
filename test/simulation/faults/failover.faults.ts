/** Replicas that lag, that take their primary's place, and a primary that does not know of it. */
import type { Member } from '../model/member.js';
import type { Scene } from '../model/scene.js';
import type { ServerNode } from '../model/server-node.js';
import type { Fault } from '../plan.js';
import type { FaultEffect } from './fault.interface.js';
import { memberOf } from './whom.js';

const REDIRECTED_WITHIN_MS = 300;

export const lag: FaultEffect = (scene, fault) => {
  const { lagsMs } = memberOf(scene, fault);
  lagsMs.push(fault.amount);
  return () => void lagsMs.splice(lagsMs.indexOf(fault.amount), 1);
};

/** The primary dies, a replica takes its place after a while; the old one comes back as its replica. */
export const failover: FaultEffect = (scene, fault) => {
  const member = memberOf(scene, fault);
  const old = member.primary;
  const chosen = successor(scene, member, fault);
  if (chosen === null) return null;
  old.goDown(old.data);
  member.cutReplication();
  scene.world.note?.(old.name, 'dies');
  const promote = () => {
    if (member.primary !== old || old.isUp) return;
    scene.world.note?.(chosen.name, 'is promoted');
    member.promote(chosen, false);
    member.redirect(() => true, REDIRECTED_WITHIN_MS);
  };
  // Before it is back, and before the faults end.
  scene.world.after((fault.forMs * fault.amount) / 1000, promote);
  return () => {
    promote();
    member.comeUp(old);
  };
};

/** A replica takes the place of a primary that goes on, and that some candidates still talk to. */
export const split: FaultEffect = (scene, fault) => {
  const member = memberOf(scene, fault);
  const old = member.primary;
  const chosen = successor(scene, member, fault);
  if (chosen === null) return null;
  scene.world.note?.(chosen.name, 'is promoted, and not everybody knows');
  member.promote(chosen, true);
  const staying = new Set(scene.seats.filter((_, index) => (fault.amount >> index) & 1));
  const stays = (name: string) =>
    scene.seats.some((seat) => staying.has(seat) && seat.process?.name === name);
  member.redirect((link) => !stays(link.owner), REDIRECTED_WITHIN_MS);
  return () => {
    member.demote(old);
    member.redirect(() => true, REDIRECTED_WITHIN_MS);
  };
};

function successor({ limits }: Scene, member: Member, { amount }: Fault): ServerNode | null {
  const { primary, deposed, nodes } = member;
  if (!primary.isUp || deposed !== null) return null;
  const replicas = nodes.filter((node) => node !== primary && node.isUp);
  const chosen = replicas[amount % replicas.length];
  if (chosen === undefined || !limits.mayLose(member, 0)) return null;
  return chosen;
}
