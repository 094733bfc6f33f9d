/** Messages that are lost, late, repeated, overtaken; ways that are open in one direction; news that is wrong. */
import type { Seat } from '../model/seat.js';
import type { FaultEffect } from './fault.interface.js';
import { seatOf } from './whom.js';

/** Stands for all members: every way of this candidate is hit. */
const ALL_MEMBERS = 5;

/** Each way looks at what is wrong with it when a message sets out. */
export const onTheWay: FaultEffect = (scene, fault) => {
  const { faults } = seatOf(scene, fault);
  const hit = fault.member >= ALL_MEMBERS ? faults : [faults[fault.member % faults.length] ?? []];
  for (const way of hit) way.push(fault);
  return () => {
    for (const way of hit) way.splice(way.indexOf(fault), 1);
  };
};

export const falseNews: FaultEffect = (scene, fault) => {
  for (const link of linksOf(seatOf(scene, fault))) link.hearFreed(link.node);
  return null;
};

export const reconnect: FaultEffect = (scene, fault) => {
  for (const link of linksOf(seatOf(scene, fault))) link.hearReconnected();
  return null;
};

function linksOf({ process }: Seat) {
  return process?.links ?? [];
}
