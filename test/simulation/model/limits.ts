/**
 * What the promise leaves out, so that a run never asks for it: the corner of `holdOff: 'auto'`; a quorum of which a
 * majority loses its data; and data that is lost where the clock is set back as well and nobody remembers, since then
 * nothing tells that an epoch comes again. `corners.test.ts` lifts the limits and shows that they are real.
 */
import { type Plan, TTL_MS } from '../plan.js';
import type { Member } from './member.js';
import type { Seat } from './seat.js';
import type { World } from './world.js';

/** A lease that nobody hears of any more is acted on for less than this, in true time, whatever the clocks. */
const LONGEST_LEASE_MS = 1.05 * TTL_MS;
/** A member that came back is told of the present lease within this, or the lease is over. */
const TOLD_WITHIN_MS = 2 * TTL_MS;
const ASK_AGAIN_MS = 100;

export class Limits {
  /** Nobody new may join before. */
  private closedUntil = -Infinity;
  private readonly isSetBack = new Set<Member>();
  private readonly withoutRecord = new Set<Member>();
  private readonly lossUntil = new Map<Member, number>();
  /** The epoch that only candidates remember, until that server is told. */
  private remembered: { readonly member: Member; readonly epoch: number } | null = null;

  constructor(
    private readonly world: World,
    private readonly plan: Plan,
    private readonly seats: readonly Seat[],
    private readonly lifted: boolean,
  ) {}

  /** Lets a candidate join as soon as one may. */
  whenOpen(join: () => void): void {
    if (this.closedUntil <= this.world.now && this.mayGo) join();
    else this.world.after(ASK_AGAIN_MS, () => this.whenOpen(join));
  }

  /** Whether those who remember may be replaced by some who do not. */
  get mayGo(): boolean {
    const { remembered } = this;
    if (remembered === null) return true;
    const { record } = remembered.member.primary.data;
    if ((record?.epoch ?? 0) < remembered.epoch) return false;
    this.remembered = null;
    return true;
  }

  /** Whether a server may forget the election while it runs; notes that it does. */
  mayForget(member: Member): boolean {
    if (this.lifted) return true;
    const isAuto = this.plan.holdOff === 'auto' && !this.isQuorum;
    // The corner of 'auto': a flush just as somebody joins who never saw an election.
    if (isAuto && this.seats.some(({ process }) => process?.floor === 0)) return false;
    if (!this.mayLose(member, 0)) return false;
    if (isAuto) this.closedUntil = this.world.now + LONGEST_LEASE_MS;
    return true;
  }

  /**
   * Whether a server may forget all but the lease; notes that it does. Where its clock is set back as well, a lease
   * whose record is gone lasts until the clock has caught up: nobody leads meanwhile.
   */
  mayForgetRecord(member: Member): boolean {
    if (this.isSetBack.has(member) || !this.mayForget(member)) return false;
    this.withoutRecord.add(member);
    return true;
  }

  /** Whether this server's data may be lost now, where it is back after `downMs`; notes that it is. */
  mayLose(member: Member, downMs: number): boolean {
    if (this.lifted) return true;
    const { now } = this.world;
    if (this.isQuorum) {
      const others = [...this.lossUntil].filter(
        ([other, until]) => other !== member && until > now,
      );
      if (others.length >= Math.floor(this.plan.servers.length / 2)) return false;
    } else if (this.isSetBack.has(member) && !this.isRemembered(member)) return false;
    const until = Math.max(now + downMs + TOLD_WITHIN_MS, this.lossUntil.get(member) ?? 0);
    this.lossUntil.set(member, until);
    return true;
  }

  /** Whether its clock may be set back; notes that it is. */
  maySetBack(member: Member): boolean {
    if (this.lifted) return true;
    if (this.withoutRecord.has(member)) return false;
    if (!this.isQuorum && this.lossUntil.has(member) && !this.isRemembered(member)) return false;
    this.isSetBack.add(member);
    return true;
  }

  private get isQuorum(): boolean {
    return this.plan.servers.length > 1;
  }

  /** Whether all who run know the last epoch; notes that they must go on. */
  private isRemembered(member: Member): boolean {
    const epoch = member.highestEpoch;
    const running = this.seats.flatMap(({ process }) => process ?? []);
    const knows = ({ floor, isStopping }: { floor: number; isStopping: boolean }) =>
      floor >= epoch && !isStopping;
    if (running.length === 0 || !running.every(knows)) return false;
    this.remembered = { member, epoch };
    return true;
  }
}
