/** The rules about what one node says of itself, one thing after the other. */
import type { LeadershipChange } from '../election/election-events.interface.js';
import type {
  ChangedEvent,
  EndedEvent,
  GoneEvent,
  GrantedEvent,
  HistoryEvent,
  RunEvent,
} from './history.js';
import type { HistoryRule, Violation } from './history-rules.js';
import { ms } from './instant.js';

/** What a node has said so far. */
interface NodeState {
  granted: GrantedEvent | null;
  change: LeadershipChange | null;
}

/** Sees the events in order, and notes what no node may say. */
export class NodeRules {
  private readonly nodes = new Map<string, NodeState>();
  /** Those that have not begun another life. */
  private readonly gone = new Map<string, GoneEvent>();

  constructor(private readonly violations: Violation[]) {}

  see(event: HistoryEvent): void {
    if (this.gone.size > 0 && this.isOver(event)) return undefined;
    switch (event.kind) {
      case 'granted':
        return this.seeGrant(event);
      case 'ended':
        return this.seeEnd(event);
      case 'run':
        return this.seeRun(event);
      case 'changed':
        return this.seeChange(event);
      case 'gone':
        this.nodes.delete(event.node);
        return void this.gone.set(event.node, event);
      case 'belief':
      case 'unreleased':
        return undefined;
    }
  }

  /** Whether it is told by a process that is gone; two may tell of one that is. */
  private isOver({ node, kind, at }: HistoryEvent): boolean {
    const gone = this.gone.get(node);
    if (gone === undefined || kind === 'gone') return false;
    if (kind === 'granted' || kind === 'changed') {
      this.gone.delete(node);
      return false;
    }
    const message = `${node} told of ${kind} at ${ms(at)}, after it was gone at ${ms(gone.at)}`;
    this.broken('nothing-after-gone', message);
    return true;
  }

  private seeGrant(event: GrantedEvent): void {
    const state = this.stateOf(event.node);
    if (state.granted !== null) {
      this.outOfTurn(event, `granted before epoch ${state.granted.epoch} ended`);
    }
    state.granted = event;
  }

  private seeEnd(event: EndedEvent): void {
    const state = this.stateOf(event.node);
    const { granted } = state;
    if (granted === null) this.outOfTurn(event, 'ended without a grant');
    else if (granted.epoch !== event.epoch) {
      this.outOfTurn(event, `ended, while it held ${granted.epoch}`);
    }
    if (!event.reason) this.outOfTurn(event, 'ended without a reason');
    state.granted = null;
  }

  private outOfTurn({ node, at, epoch }: GrantedEvent | EndedEvent, what: string): void {
    this.broken('grants-and-ends-alternate', `${node}: ${what}, epoch ${epoch} at ${ms(at)}`);
  }

  private seeRun({ node, at, epoch }: RunEvent): void {
    const held = this.nodes.get(node)?.granted?.epoch;
    if (held === epoch) return;
    const instead = held === undefined ? 'no leadership' : `epoch ${held}`;
    this.broken(
      'runs-inside-leadership',
      `${node} worked under epoch ${epoch} at ${ms(at)}, while it held ${instead}`,
    );
  }

  private seeChange({ node, at, change }: ChangedEvent): void {
    const state = this.stateOf(node);
    const before = state.change;
    state.change = change;
    const { isLeader, epoch, reason } = change;
    const complain = (what: string): void =>
      this.broken('changes-make-sense', `${node} ${what} at ${ms(at)}`);
    if (isLeader !== (change.state === 'leader')) {
      complain(`says isLeader ${String(isLeader)} as ${change.state}`);
    }
    if (isLeader !== (epoch !== null)) complain(`says epoch ${epoch} as ${change.state}`);
    const held = before?.isLeader === true;
    if (held && reason === null) complain('lost without a reason');
    if (!held && before?.state !== 'draining' && reason !== null) {
      complain(`says ${reason} without a loss`);
    }
    if (before === null) return;
    if (before.state === 'stopped') complain(`is ${change.state} after it stopped`);
    if (isSame(before, change)) complain(`repeats ${change.state}`);
  }

  private stateOf(node: string): NodeState {
    let state = this.nodes.get(node);
    if (state === undefined) {
      state = { granted: null, change: null };
      this.nodes.set(node, state);
    }
    return state;
  }

  private broken(rule: HistoryRule, message: string): void {
    this.violations.push({ rule, message });
  }
}

/** But for `since` and `reason`. */
function isSame(a: LeadershipChange, b: LeadershipChange): boolean {
  return (
    a.state === b.state &&
    a.isLeader === b.isLeader &&
    a.epoch === b.epoch &&
    a.leader?.nodeId === b.leader?.nodeId &&
    a.leader?.epoch === b.leader?.epoch
  );
}
