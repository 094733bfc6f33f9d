import { Campaign, type CampaignListener, type Grant } from './campaign.js';
import { ElectionContext, type ElectionParts } from './election-context.js';
import type { LossReason } from './election.errors.js';
import type { ElectionState, LeadershipChange } from './election-events.interface.js';
import { giveUpLease } from './give-up-lease.js';
import { Leadership } from './leadership.js';
import { LeaseKeeper } from './lease-keeper.js';
import type { LeaderInfo } from './lease-store.interface.js';

/** How a candidate learns that leader-only work has ended. */
export interface RunsInFlight {
  /** Resolves when no run of this leadership is in flight. Never rejects. */
  idle(leadership: Leadership): Promise<void>;
}

/** What aborted work gets to settle in, after `drainTimeoutMs`; if it does, the lease is released after all. */
const ABORT_GRACE_MS = 100;

interface Campaigning {
  readonly name: 'campaigning';
  readonly campaign: Campaign;
}

interface Holding {
  readonly name: 'leading' | 'draining';
  readonly leadership: Leadership;
  readonly keeper: LeaseKeeper;
}

/** Exactly the data that each role has; what does not belong together does not typecheck. */
type Role = { readonly name: 'idle' } | Campaigning | Holding | { readonly name: 'stopped' };

/**
 * One process taking part in one election.
 *
 * Guaranteed: while `leadership` is not null, no other candidate of the same election has one. It rests on this: the
 * store keeps rules 5 to 16, and this machine's clocks and the store's differ in rate by less than the safety margin.
 * Not guaranteed: that code which checked a moment ago has stopped. That is what the epoch is for.
 *
 * Only the `become…` methods change the role, and a campaign or keeper is stopped with its role: whatever it had
 * under way is dropped when it is answered (rule 8).
 */
export class Candidate {
  private readonly context: ElectionContext;
  private readonly listeners = new Set<(change: LeadershipChange) => void>();
  private readonly untold: LeadershipChange[] = [];
  private role: Role = { name: 'idle' };
  private leaderSeen: LeaderInfo | null = null;
  private change: LeadershipChange;
  private heldSince = 0;
  private unwatch: (() => void) | null = null;
  private resigning: Promise<void> | null = null;
  private stopping: Promise<void> | null = null;

  constructor(
    parts: ElectionParts,
    private readonly runs: RunsInFlight,
  ) {
    this.context = new ElectionContext(parts);
    this.change = this.describe('follower', null);
  }

  /** The leadership that admits new work now, or null. */
  get leadership(): Leadership | null {
    const { role } = this;
    return role.name === 'leading' && role.leadership.isValid ? role.leadership : null;
  }

  /** The value announced last, corrected where a lease has just run out and no timer could say so yet. */
  get current(): LeadershipChange {
    if (this.role.name !== 'leading' || this.role.leadership.isValid) return this.change;
    return { ...this.change, state: 'candidate', isLeader: false, epoch: null, leader: null };
  }

  /** Announces a lease that has run out, where no timer could say so yet. */
  noticeExpiry(): void {
    if (isHolding(this.role)) this.role.keeper.stillValid();
  }

  /** Calls the listener after each change, when the state has changed already. Returns how to stop that. */
  onChange(listener: (change: LeadershipChange) => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  start(): void {
    if (this.role.name !== 'idle') return;
    const { config, events, store } = this.context;
    events.started({ election: config.election, campaign: config.campaign });
    this.becomeCampaigner(null, 0);
    this.unwatch = store.watch(config.election, {
      freed: () => this.wakeCampaign(),
      reconnected: () => {
        this.wakeCampaign();
        if (isHolding(this.role)) this.role.keeper.wake();
      },
    });
  }

  /** Asks the store now whether this candidate leads. False when it does not, or when the store gives no answer. */
  async verify(): Promise<boolean> {
    if (!isHolding(this.role)) return false;
    // A failed call is reported where it is made; what is not confirmed is not true.
    return this.role.keeper.confirm().catch(() => false);
  }

  /**
   * Gives leadership up: admits no new work, waits for running work, releases. Stays out of the contest for
   * `cooldownMs`, also when it was not leading. Resolves when the lease is free, or left to run out.
   */
  async stepDown(cooldownMs: number): Promise<void> {
    if (this.role.name === 'campaigning') this.role.campaign.observeFor(cooldownMs);
    if (this.role.name === 'leading') this.resigning = this.resign('released', cooldownMs);
    await this.resigning;
  }

  /** Shuts down; a follower never leads on the way out (rule 22). Never rejects; always the same promise. */
  stop(): Promise<void> {
    this.stopping ??= this.shutDown();
    return this.stopping;
  }

  private async shutDown(): Promise<void> {
    this.unwatch?.();
    const { role } = this;
    if (role.name === 'leading') this.resigning = this.resign('shutdown', 0);
    else if (role.name !== 'draining') this.becomeStopped(null);
    if (role.name === 'campaigning') await role.campaign.stop();
    await this.resigning;
  }

  /** Rule 21: the lease is renewed until the work has ended, and released only then. */
  private async resign(reason: 'released' | 'shutdown', cooldownMs: number): Promise<void> {
    const draining = this.becomeDraining(reason);
    const { leadership, keeper } = draining;
    const { drainTimeoutMs } = this.context.config;
    const inTime = await this.within(drainTimeoutMs, this.runs.idle(leadership));
    if (this.role !== draining) return; // Lost meanwhile; `leadershipLost` has moved on.

    keeper.stop();
    this.endLeadership(leadership, reason);
    if (inTime || (await this.within(ABORT_GRACE_MS, this.runs.idle(leadership)))) {
      await giveUpLease(this.context, leadership);
    }
    this.moveOn(reason, cooldownMs);
  }

  private leadershipLost(leadership: Leadership, reason: LossReason): void {
    if (!isHolding(this.role) || this.role.leadership !== leadership) return;
    // First: whoever hears of the change must find the leadership over.
    this.endLeadership(leadership, reason);
    this.moveOn(reason, 0);
  }

  private endLeadership(leadership: Leadership, reason: LossReason): void {
    leadership.end(reason);
    this.context.events.ended({
      election: leadership.election,
      epoch: leadership.epoch,
      reason,
      heldForMs: this.context.time.now() - this.heldSince,
    });
  }

  private moveOn(reason: LossReason, cooldownMs: number): void {
    if (this.stopping === null) this.becomeCampaigner(reason, cooldownMs);
    else this.becomeStopped(reason);
  }

  private becomeCampaigner(reason: LossReason | null, cooldownMs: number): void {
    this.assertRole('idle', 'leading', 'draining');
    const campaign = new Campaign(this.context, this.campaignListener());
    this.role = { name: 'campaigning', campaign };
    this.leaderSeen = null;
    this.announce(this.context.config.campaign ? 'candidate' : 'follower', reason);
    // A listener may have stopped it.
    if (this.isCampaigning(campaign)) campaign.start(cooldownMs);
  }

  private becomeLeader({ epoch, attempt, sentAt }: Grant): void {
    this.assertRole('campaigning');
    const { config, time, events } = this.context;
    const validUntil = sentAt + config.leaseTtlMs - config.safetyMarginMs;
    const leadership = new Leadership(config.election, epoch, attempt, time, validUntil);
    const keeper = new LeaseKeeper(this.context, leadership, sentAt, (reason) =>
      this.leadershipLost(leadership, reason),
    );
    const { nodeId, metadata } = config.by;
    this.role = { name: 'leading', leadership, keeper };
    this.leaderSeen = { nodeId, epoch, metadata };
    this.heldSince = time.now();
    keeper.start();
    events.granted({ election: config.election, epoch, latencyMs: this.heldSince - sentAt });
    this.announce('leader', null);
  }

  private becomeDraining(reason: LossReason): Holding {
    if (this.role.name !== 'leading') throw this.illegal('draining');
    const draining: Holding = { ...this.role, name: 'draining' };
    this.role = draining;
    this.announce('draining', reason);
    return draining;
  }

  private becomeStopped(reason: LossReason | null): void {
    this.assertRole('idle', 'campaigning', 'leading', 'draining');
    this.role = { name: 'stopped' };
    this.leaderSeen = null;
    this.announce('stopped', reason);
  }

  private campaignListener(): CampaignListener {
    return {
      won: (grant) => this.becomeLeader(grant),
      sawLeader: (leader) => {
        this.leaderSeen = leader;
        const unknown = leader === null && this.context.config.campaign;
        this.announce(unknown ? 'candidate' : 'follower', null);
      },
      lostSight: () => {
        if (this.context.config.campaign) this.announce('candidate', null);
      },
    };
  }

  private wakeCampaign(): void {
    if (this.role.name === 'campaigning') this.role.campaign.wake();
  }

  private isCampaigning(campaign: Campaign): boolean {
    return this.role.name === 'campaigning' && this.role.campaign === campaign;
  }

  /** Announces what has changed already; says nothing where nothing did. */
  private announce(state: ElectionState, reason: LossReason | null): void {
    const next = this.describe(state, reason);
    if (isSame(this.change, next)) return;
    this.change = next;
    this.untold.push(next);
    // Where a listener causes another change, everybody hears this one first.
    if (this.untold.length > 1) return;
    for (let change = this.untold[0]; change !== undefined; change = this.untold[0]) {
      this.context.events.changed({ election: this.context.election, change });
      for (const listener of this.listeners) listener(change);
      this.untold.shift();
    }
  }

  private describe(state: ElectionState, reason: LossReason | null): LeadershipChange {
    const isLeader = state === 'leader';
    return {
      state,
      isLeader,
      epoch: isLeader ? (this.leaderSeen?.epoch ?? null) : null,
      leader: this.leaderSeen,
      since: this.context.clock.wallMs(),
      reason,
    };
  }

  /** True when `work` ended within that time. */
  private within(limitMs: number, work: Promise<void>): Promise<boolean> {
    return new Promise((resolve) => {
      const cancel = this.context.clock.setTimer(() => resolve(false), limitMs);
      void work.then(() => {
        cancel();
        resolve(true);
      });
    });
  }

  private assertRole(...allowed: readonly Role['name'][]): void {
    if (!allowed.includes(this.role.name)) throw this.illegal(allowed.join(' or '));
  }

  private illegal(expected: string): Error {
    return new Error(
      `Defect in nestjs-leader-election: role is ${this.role.name}, not ${expected}.`,
    );
  }
}

function isHolding(role: Role): role is Holding {
  return role.name === 'leading' || role.name === 'draining';
}

function isSame(a: LeadershipChange, b: LeadershipChange): boolean {
  return (
    a.state === b.state &&
    a.epoch === b.epoch &&
    a.leader?.nodeId === b.leader?.nodeId &&
    a.leader?.epoch === b.leader?.epoch
  );
}
