import { Announcer } from './announcer.js';
import { Campaign, type CampaignListener, type Grant } from './campaign.js';
import { ElectionContext, type ElectionParts } from './election-context.js';
import type { LossReason } from './election.errors.js';
import type { LeaseWatcher } from './lease-store.interface.js';
import type { LeadershipChange } from './election-events.interface.js';
import { giveUpLease } from './give-up-lease.js';
import { Leadership } from './leadership.js';
import { LeaseKeeper } from './lease-keeper.js';
import { Outbox } from './outbox.js';

/** How a candidate learns that leader-only work has ended. */
export interface RunsInFlight {
  /** Resolves when no run of this leadership is in flight. Never rejects. */
  idle(leadership: Leadership): Promise<void>;
}

/** What aborted work gets to settle in, after `drainTimeoutMs`; if it does, the lease is released after all. */
const ABORT_GRACE_MS = 100;

const NOTHING: Promise<void> = Promise.resolve();

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
export class Candidate implements LeaseWatcher {
  private readonly context: ElectionContext;
  private readonly outbox = new Outbox();
  private readonly announcer: Announcer;
  private role: Role = { name: 'idle' };
  private heldSince = 0;
  /** How long to stay out of the contest once the present leadership is over, or the start has come. */
  private restMs = 0;
  private unwatch: (() => void) | null = null;
  private resigning = NOTHING;
  private stopping: Promise<void> | null = null;

  constructor(
    parts: ElectionParts,
    private readonly runs: RunsInFlight,
  ) {
    this.context = new ElectionContext(parts);
    this.announcer = new Announcer(this.context, this.outbox);
  }

  /** The leadership that admits new work now, or null. */
  get leadership(): Leadership | null {
    const { role } = this;
    return role.name === 'leading' && role.leadership.isValid ? role.leadership : null;
  }

  /** The value announced last, corrected where a lease has just run out and no timer could say so yet. */
  get current(): LeadershipChange {
    const { current } = this.announcer;
    if (this.role.name !== 'leading' || this.role.leadership.isValid) return current;
    return { ...current, state: 'candidate', isLeader: false, epoch: null, leader: null };
  }

  /** Announces a lease that has run out, where no timer could say so yet. */
  noticeExpiry(): void {
    if (isHolding(this.role)) this.role.keeper.stillValid();
  }

  /** Calls the listener after each change, when the state has changed already. Returns how to stop that. */
  onChange(listener: (change: LeadershipChange) => void): () => void {
    return this.announcer.onChange(listener);
  }

  start(): void {
    this.outbox.step(() => {
      if (this.role.name !== 'idle') return;
      const { config, events, store } = this.context;
      this.outbox.send(() =>
        events.started({ election: config.election, campaign: config.campaign }),
      );
      this.unwatch = store.watch(config.election, this);
      this.becomeCampaigner(null);
    });
  }

  /** The store tells. */
  freed(): void {
    if (this.role.name === 'campaigning') this.role.campaign.wake();
  }

  /** The store tells. */
  reconnected(): void {
    this.freed();
    if (isHolding(this.role)) this.role.keeper.wake();
  }

  /** The store tells. */
  noticed(text: string): void {
    this.context.sawNotice({ notice: text });
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
    await this.outbox.step(() => {
      this.noticeExpiry();
      if (this.role.name === 'campaigning') this.role.campaign.observeFor(cooldownMs);
      else this.restMs = Math.max(this.restMs, cooldownMs);
      if (this.role.name === 'leading') this.becomeDraining('released');
      return this.role.name === 'draining' ? this.resigning : null;
    });
  }

  /** Shuts down; a follower never leads on the way out (rule 22). Never rejects; always the same promise. */
  stop(): Promise<void> {
    return this.outbox.step(() => (this.stopping ??= this.shutDown()));
  }

  private async shutDown(): Promise<void> {
    this.unwatch?.();
    this.noticeExpiry();
    const { role } = this;
    if (role.name === 'leading') this.becomeDraining('shutdown');
    else if (role.name !== 'draining') this.becomeStopped(null);
    if (role.name === 'campaigning') await role.campaign.stop();
    await this.resigning;
    // A renewal or a `verify()` may still be under way; whoever closes the store next must not break into it.
    await this.context.settled();
  }

  /** Rule 21: the lease is renewed until the work has ended, and released only then. */
  private async drain(draining: Holding, reason: LossReason): Promise<void> {
    const { leadership, keeper } = draining;
    const { drainTimeoutMs } = this.context.config;
    const inTime = await this.within(drainTimeoutMs, this.runs.idle(leadership));
    if (this.role !== draining) return; // Lost meanwhile; `leadershipLost` has moved on.

    keeper.stop();
    this.outbox.step(() => this.endLeadership(leadership, reason));
    if (inTime || (await this.within(ABORT_GRACE_MS, this.runs.idle(leadership)))) {
      await giveUpLease(this.context, leadership);
    } else {
      const { election, epoch } = leadership;
      const { leaseTtlMs } = this.context.config;
      this.context.events.drainTimedOut({ election, epoch, leaseTtlMs });
    }
    this.outbox.step(() => this.moveOn(reason));
  }

  private leadershipLost(leadership: Leadership, reason: LossReason): void {
    this.outbox.step(() => {
      if (!isHolding(this.role) || this.role.leadership !== leadership) return;
      this.endLeadership(leadership, reason);
      this.moveOn(reason);
    });
  }

  private endLeadership(leadership: Leadership, reason: LossReason): void {
    const { election, epoch } = leadership;
    const heldForMs = this.context.time.now() - this.heldSince;
    // First: whoever hears of the end must find the leadership over.
    this.outbox.send(() => leadership.end(reason));
    this.outbox.send(() => this.context.events.ended({ election, epoch, reason, heldForMs }));
  }

  private moveOn(reason: LossReason): void {
    if (this.stopping === null) this.becomeCampaigner(reason);
    else this.becomeStopped(reason);
  }

  private becomeCampaigner(reason: LossReason | null): void {
    this.assertRole('idle', 'leading', 'draining');
    const campaign = new Campaign(this.context, this.campaignListener());
    const { restMs } = this;
    this.role = { name: 'campaigning', campaign };
    this.restMs = 0;
    this.announcer.announce(this.unknownLeader, null, reason);
    // After the announcement: where a listener stops it, nothing is asked any more.
    this.outbox.send(() => campaign.start(restMs));
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
    this.heldSince = time.now();
    keeper.start();
    const latencyMs = this.heldSince - sentAt;
    this.outbox.send(() => events.granted({ election: config.election, epoch, latencyMs }));
    this.announcer.announce('leader', { nodeId, epoch, metadata }, null);
  }

  private becomeDraining(reason: LossReason): void {
    if (this.role.name !== 'leading') throw this.illegal('leading');
    const draining: Holding = { ...this.role, name: 'draining' };
    this.role = draining;
    this.announcer.announce('draining', this.announcer.current.leader, reason);
    // A lease that was lost while it drained may have left an earlier one behind, which `stop` waits for too.
    const earlier = this.resigning;
    this.resigning = this.drain(draining, reason).then(() => earlier);
  }

  private becomeStopped(reason: LossReason | null): void {
    this.assertRole('idle', 'campaigning', 'leading', 'draining');
    this.role = { name: 'stopped' };
    this.announcer.announce('stopped', null, reason);
  }

  private campaignListener(): CampaignListener {
    const { announcer, outbox } = this;
    return {
      won: (grant) => outbox.step(() => this.becomeLeader(grant)),
      sawLeader: (leader) =>
        outbox.step(() => {
          announcer.announce(leader === null ? this.unknownLeader : 'follower', leader, null);
        }),
      lostSight: () =>
        outbox.step(() => {
          announcer.announce(this.unknownLeader, announcer.current.leader, null);
        }),
    };
  }

  /** How it stands while it knows of no leader. */
  private get unknownLeader(): 'candidate' | 'follower' {
    return this.context.config.campaign ? 'candidate' : 'follower';
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
