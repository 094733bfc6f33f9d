/** One independent store: a primary and its replicas, which follow it with a delay and can take its place. */
import { LeaseStoreError } from '../../../lib/election/election.errors.js';
import type { ServerPlan } from '../plan.js';
import type { Link } from './link.js';
import { copyOf, ServerNode } from './server-node.js';
import type { World } from './world.js';

/** What a candidate asks of a server. */
export interface Command<T> {
  readonly name: string;
  readonly perform: (node: ServerNode) => T;
  /** Whether the answer is a yes, which counts only where enough replicas have it. */
  readonly isYes: (answer: T) => boolean;
  readonly acks: number;
  readonly timeoutMs: number;
  readonly frees: boolean;
}

export interface Answering<T> {
  answer(value: T): void;
  fail(error: Error): void;
}

/** The part of a command's timeout for which a server waits for its replicas. */
const WAIT_PART_OF_TIMEOUT = 0.7;
const SAVE_EVERY_MS = 700;
const SHORT_LAG_MS = 4;

export class Member {
  readonly nodes: ServerNode[];
  readonly links = new Set<Link>();
  primary: ServerNode;
  /** The highest epoch that it ever granted, whether or not it still knows. */
  highestEpoch = 0;
  /** A primary that was replaced without knowing it. */
  deposed: ServerNode | null = null;
  /** How far its replicas lag at most, in ms: the longest counts. */
  readonly lagsMs = [SHORT_LAG_MS];
  private readonly random: () => number;
  private readonly appliedAt = new Map<ServerNode, number>();
  /** What was sent to replicas under an earlier one is lost. */
  private generation = 0;

  constructor(
    private readonly world: World,
    readonly name: string,
    { rate, aheadMs }: ServerPlan,
    replicas: number,
  ) {
    this.random = world.stream();
    this.nodes = Array.from({ length: replicas + 1 }, (_, index) => {
      const clock = world.clock.fork(aheadMs, 1 + rate / 1e6);
      return new ServerNode(`${name}${index}`, clock, `${name}0.1`);
    });
    const [primary] = this.nodes;
    if (primary === undefined) throw new Error('A member has at least one node.');
    this.primary = primary;
    primary.isPrimary = true;
    this.saveRegularly();
  }

  handle<T>(link: Link, command: Command<T>, reply: Answering<T>): void {
    const { node } = link;
    node.receive(() => {
      if (!node.isUp) return reply.fail(new LeaseStoreError('unreachable', 'ECONNREFUSED'));
      if (!node.isPrimary) return reply.fail(new LeaseStoreError('unavailable', 'READONLY'));
      const answer = command.perform(node);
      this.highestEpoch = Math.max(this.highestEpoch, node.data.record?.epoch ?? 0);
      this.world.note?.(node.name, `${command.name} of ${link.owner}: ${JSON.stringify(answer)}`);
      const isYes = command.isYes(answer);
      const waiting =
        isYes && command.acks > 0 ? this.acknowledgement(command, answer, reply) : null;
      this.replicate(node, waiting);
      if (isYes && command.frees) for (const listener of this.links) listener.hearFreed(node);
      if (waiting === null) reply.answer(answer);
    });
  }

  /** Sends what the primary has now to its replicas, in order. */
  replicate(from: ServerNode, applied: (() => void) | null = null): void {
    if (from !== this.primary || this.nodes.length === 1) return;
    const { generation } = this;
    const data = copyOf(from.data);
    for (const replica of this.nodes) {
      if (replica === from || replica === this.deposed || !replica.isUp) continue;
      const earliest = this.world.now + 0.1 + this.random() * Math.max(...this.lagsMs);
      const at = Math.max(earliest, this.appliedAt.get(replica) ?? 0);
      this.appliedAt.set(replica, at);
      this.world.at(at, () => {
        if (generation !== this.generation || !replica.isUp) return;
        replica.data = data;
        applied?.();
      });
    }
  }

  /** The primary is gone or cut off: what it sent and was not applied yet never is. */
  cutReplication(): void {
    this.generation += 1;
    this.appliedAt.clear();
  }

  promote(replica: ServerNode, isOldDeposed: boolean): void {
    const old = this.primary;
    this.cutReplication();
    this.deposed = isOldDeposed ? old : null;
    old.isPrimary = isOldDeposed;
    this.primary = replica;
    replica.isPrimary = true;
    replica.wasPromoted = true;
    // Replicas share what they were sent; a primary changes its own.
    replica.data = copyOf(replica.data);
    // With the time in it: no two promotions are one.
    replica.replication = `${replica.name}@${Math.floor(this.world.now)}`;
    this.follow();
  }

  /** A former primary comes back as a replica, and takes over what the primary has. */
  demote(node: ServerNode): void {
    node.isPrimary = false;
    if (this.deposed === node) this.deposed = null;
    this.follow();
  }

  /** All that lean on a node which serves them no more find the primary, one after the other. */
  redirect(isRedirected: (link: Link) => boolean, withinMs: number): void {
    for (const link of this.links) {
      if (!isRedirected(link)) continue;
      this.world.after(this.random() * withinMs, () => {
        if (link.node === this.primary) return;
        link.node = this.primary;
        link.hearReconnected();
      });
    }
  }

  /** A node that was down runs again, and follows the primary if it is not that. */
  comeUp(node: ServerNode): void {
    node.comeUp();
    this.world.note?.(node.name, 'is up again');
    this.follow();
  }

  private follow(): void {
    for (const node of this.nodes) {
      if (node !== this.deposed) node.replication = this.primary.replication;
    }
    this.replicate(this.primary);
  }

  private acknowledgement<T>(
    { acks, timeoutMs }: Command<T>,
    answer: T,
    reply: Answering<T>,
  ): () => void {
    let missing = acks;
    this.world.after(timeoutMs * WAIT_PART_OF_TIMEOUT, () => {
      if (missing > 0) reply.fail(new LeaseStoreError('unavailable', `${missing} acks missing`));
      missing = -Infinity;
    });
    return () => {
      missing -= 1;
      if (missing === 0) reply.answer(answer);
    };
  }

  private saveRegularly(): void {
    this.world.after(SAVE_EVERY_MS * (0.5 + this.random()), () => {
      for (const node of this.nodes) node.saved = node.isPrimary ? copyOf(node.data) : node.data;
      this.saveRegularly();
    });
  }
}
