/**
 * What the promise leaves out, so that a run never asks for it: the two corners of `holdOff: 'auto'`, and the loss of a
 * majority of a quorum, and of data by a server whose clock is set back as well. `corners.test.ts` lifts the limits and shows that the corners are real.
 */
import { type Plan, TTL_MS } from '../plan.js';
import type { Member } from './member.js';
import type { Seat } from './seat.js';
import type { ServerNode } from './server-node.js';
import type { World } from './world.js';

/** A lease that nobody hears of any more is acted on for less than this, in true time, whatever the clocks. */
const LONGEST_LEASE_MS = 1.05 * TTL_MS;
/** A member that came back is told of the present lease within this, or the lease is over. */
const TOLD_WITHIN_MS = 2 * TTL_MS;

export class Limits {
  /** Nobody new may join before. */
  private closedUntil = -Infinity;
  /** What these take for now may be in what they have lost: an epoch could come again. */
  private readonly isSetBack = new Set<Member>();
  private readonly lossUntil = new Map<Member, number>();

  constructor(
    private readonly world: World,
    private readonly plan: Plan,
    private readonly seats: readonly Seat[],
    private readonly lifted: boolean,
  ) {}

  /** Lets a candidate join as soon as one may. */
  whenOpen(join: () => void): void {
    if (this.closedUntil <= this.world.now) join();
    else this.world.at(this.closedUntil, () => this.whenOpen(join));
  }

  /** Whether a server may forget the election while it runs; notes that it does. */
  mayForget(member: Member): boolean {
    if (this.lifted) return true;
    if (this.plan.holdOff === 'auto') {
      // The first corner: a flush just as somebody joins who never saw an election.
      if (this.seats.some(({ process }) => process !== null && !process.knowsElection))
        return false;
    }
    if (!this.mayLose(member, 0)) return false;
    if (this.plan.holdOff === 'auto') this.closedUntil = this.world.now + LONGEST_LEASE_MS;
    return true;
  }

  /** Whether this server's data may be lost now, where it is back after `downMs`; notes that it is. */
  mayLose(member: Member, downMs: number): boolean {
    const { now } = this.world;
    const others = [...this.lossUntil].filter(([other, until]) => other !== member && until > now);
    const majority = Math.floor(this.plan.servers.length / 2) + 1;
    const isQuorum = this.plan.servers.length > 1;
    if (!this.lifted && isQuorum && others.length + 1 >= majority) return false;
    if (!this.lifted && !isQuorum && this.isSetBack.has(member)) return false;
    const until = Math.max(now + downMs + TOLD_WITHIN_MS, this.lossUntil.get(member) ?? 0);
    this.lossUntil.set(member, until);
    return true;
  }

  /** The second corner: an election's first grant that the promoted replica never heard of. */
  mayPromote(member: Member, replica: ServerNode): boolean {
    if (this.lifted) return true;
    if (this.plan.holdOff === 'auto' && replica.data.record === null) return false;
    return this.mayLose(member, 0);
  }

  /** Whether its clock may be set back; notes that it is. */
  maySetBack(member: Member): boolean {
    const isQuorum = this.plan.servers.length > 1;
    if (!this.lifted && !isQuorum && this.lossUntil.has(member)) return false;
    this.isSetBack.add(member);
    return true;
  }
}
