import type { ElectionContext } from './election-context.js';
import type { LossReason } from './election.errors.js';
import type { ElectionState, LeadershipChange } from './election-events.interface.js';
import type { LeaderInfo } from './lease-store.interface.js';
import type { Outbox } from './outbox.js';

type Listener = (change: LeadershipChange) => void;

const NONE: readonly Listener[] = [];

/** What a candidate has said of itself, and who hears of the next change. */
export class Announcer {
  private listeners: readonly Listener[] = NONE;
  private last: LeadershipChange;

  constructor(
    private readonly context: ElectionContext,
    private readonly outbox: Outbox,
  ) {
    this.last = this.describe('follower', null, null);
  }

  get current(): LeadershipChange {
    return this.last;
  }

  onChange(listener: Listener): () => void {
    this.listeners = [...this.listeners, listener];
    return () => {
      this.listeners = this.listeners.filter((other) => other !== listener);
    };
  }

  /** Tells of what has changed already; says nothing where nothing did. */
  announce(state: ElectionState, leader: LeaderInfo | null, reason: LossReason | null): void {
    const change = this.describe(state, leader, reason);
    if (isSame(this.last, change)) return;
    this.last = change;
    const { election, events } = this.context;
    this.outbox.send(() => events.changed({ election, change }));
    for (const listener of this.listeners) {
      this.outbox.send(() => {
        if (this.listeners.includes(listener)) listener(change);
      });
    }
  }

  private describe(
    state: ElectionState,
    leader: LeaderInfo | null,
    reason: LossReason | null,
  ): LeadershipChange {
    const isLeader = state === 'leader';
    return {
      state,
      isLeader,
      epoch: isLeader && leader !== null ? leader.epoch : null,
      leader,
      since: this.context.clock.wallMs(),
      reason,
    };
  }
}

function isSame(a: LeadershipChange, b: LeadershipChange): boolean {
  return (
    a.state === b.state &&
    a.epoch === b.epoch &&
    a.leader?.nodeId === b.leader?.nodeId &&
    a.leader?.epoch === b.leader?.epoch
  );
}
