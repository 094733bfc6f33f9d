/** Whom a fault concerns. */
import type { Member } from '../model/member.js';
import type { Scene } from '../model/scene.js';
import type { Seat } from '../model/seat.js';
import type { Fault } from '../plan.js';

export function seatOf({ seats, observer }: Scene, { who }: Fault): Seat {
  const leader = who === 'leader' ? observer.leader : null;
  const index = who === 'leader' ? 0 : who % seats.length;
  const seat = seats.find(({ process }) => process !== null && process === leader) ?? seats[index];
  if (seat === undefined) throw new Error('A run has candidates.');
  return seat;
}

export function memberOf({ members }: Scene, fault: Fault): Member {
  const member = members[fault.member % members.length];
  if (member === undefined) throw new Error('A run has servers.');
  return member;
}
