/** One candidate's way to one server, on which every message can be lost, late, repeated and overtaken. */
import type { Clock } from '../../../lib/election/clock.interface.js';
import { LeaseStoreError } from '../../../lib/election/election.errors.js';
import type {
  AcquireReply,
  AcquireRequest,
  InspectRequest,
  LeaseSight,
  LeaseWatcher,
  ReleaseRequest,
  RenewReply,
  RenewRequest,
} from '../../../lib/election/lease-store.interface.js';
import * as rules from '../../../lib/stores/memory/lease-rules.js';
import type {
  QuorumMember,
  RaiseEpochRequest,
} from '../../../lib/stores/quorum/quorum-member.interface.js';
import { type Fault, FAULTS_END_MS } from '../plan.js';
import type { Answering, Command, Member } from './member.js';
import type { ServerNode } from './server-node.js';
import type { World } from './world.js';

/** Who is at the near end: a process that may be stopped, or gone. */
export interface Receiver {
  readonly name: string;
  /** Runs it when the process can; never where it is gone. */
  deliver(message: () => void): void;
}

/** A slow network or a late copy takes up to this much longer, in ms, for an amount of 999. */
const SLOWEST_MS = 2500;
const NEVER = Infinity;

export class Link implements QuorumMember {
  node: ServerNode;
  /** The next answer gets lost, and no other. */
  losesNextAnswer = false;
  private watcher: LeaseWatcher | null = null;
  private readonly random: () => number;

  constructor(
    private readonly world: World,
    private readonly member: Member,
    private readonly process: Receiver,
    /** What is wrong on this way now; it belongs to the machine, and its next process finds it so. */
    private readonly faults: readonly Fault[],
    /** Gives unanswered calls up in time, as a Redis store does; null: they never settle. */
    private readonly timers: Clock | null,
  ) {
    this.random = world.stream();
    this.node = member.primary;
    member.links.add(this);
  }

  get owner(): string {
    return this.process.name;
  }

  acquire(request: AcquireRequest): Promise<AcquireReply> {
    return this.ask({
      name: 'acquire',
      perform: (node) => rules.acquire(node.data, request, node.moment()),
      isYes: ({ granted }) => granted,
      acks: request.minReplicaAcks,
      timeoutMs: request.timeoutMs,
      frees: false,
    });
  }

  renew(request: RenewRequest): Promise<RenewReply> {
    return this.ask({
      name: 'renew',
      perform: (node) => rules.renew(node.data, request, node.moment()),
      isYes: ({ renewed }) => renewed,
      acks: request.minReplicaAcks,
      timeoutMs: request.timeoutMs,
      frees: false,
    });
  }

  release(request: ReleaseRequest): Promise<boolean> {
    return this.ask({
      name: 'release',
      perform: (node) => rules.release(node.data, request, node.moment()),
      isYes: (released) => released,
      acks: 0,
      timeoutMs: request.timeoutMs,
      frees: request.epoch > 0,
    });
  }

  raiseEpoch(request: RaiseEpochRequest): Promise<boolean> {
    return this.ask({
      name: 'raiseEpoch',
      perform: (node) => rules.raiseEpoch(node.data, request, node.moment()),
      isYes: (raised) => raised,
      acks: request.minReplicaAcks,
      timeoutMs: request.timeoutMs,
      frees: false,
    });
  }

  inspect(request: InspectRequest): Promise<LeaseSight> {
    return this.ask({
      name: 'inspect',
      perform: (node) => rules.inspect(node.data, request, node.moment()),
      isYes: () => false,
      acks: 0,
      timeoutMs: request.timeoutMs,
      frees: false,
    });
  }

  watch(_election: string, watcher: LeaseWatcher): () => void {
    this.watcher = watcher;
    return () => {
      this.watcher = null;
    };
  }

  async close(): Promise<void> {}

  /** A lease was released on that node. */
  hearFreed(node: ServerNode): void {
    if (node !== this.node || this.isHit('deaf')) return;
    const late = this.faults.find(({ kind }) => kind === 'late-news');
    const lateMs = late === undefined ? 0 : this.random() * late.amount;
    this.world.after(this.latency() + lateMs, () => {
      this.process.deliver(() => this.watcher?.freed());
    });
  }

  hearReconnected(): void {
    this.process.deliver(() => this.watcher?.reconnected());
  }

  private ask<T>(command: Command<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const { timeoutMs } = command;
      const giveUp = () => reject(new LeaseStoreError('unreachable', `${timeoutMs} ms are over`));
      const cancel = this.timers?.setTimer(giveUp, timeoutMs);
      const settle = (message: () => void) => {
        cancel?.();
        message();
      };
      const reply: Answering<T> = {
        answer: (value) => this.toCandidate(() => settle(() => resolve(value))),
        fail: (error) => this.toCandidate(() => settle(() => reject(error))),
      };
      this.toServer(() => this.member.handle(this, command, reply), 0);
      const again = this.faults.find(({ kind }) => kind === 'repeat');
      if (again === undefined) return;
      const ignored: Answering<T> = { answer: () => undefined, fail: () => undefined };
      const laterMs = (this.random() * again.amount * SLOWEST_MS) / 1000;
      this.toServer(() => this.member.handle(this, command, ignored), laterMs);
    });
  }

  private toServer(message: () => void, laterMs: number): void {
    const arrival = this.arrival('cut-requests', laterMs);
    if (arrival === NEVER) this.world.note?.(this.owner, 'its request is lost');
    else this.world.at(arrival, message);
  }

  private toCandidate(message: () => void): void {
    const arrival = this.losesNextAnswer ? NEVER : this.arrival('cut-replies', 0);
    this.losesNextAnswer = false;
    if (arrival === NEVER) this.world.note?.(this.owner, 'the answer to it is lost');
    else this.world.at(arrival, () => this.process.deliver(message));
  }

  /** When a message that is sent now arrives, if ever. Nothing late reaches into the calm stretch. */
  private arrival(cut: 'cut-requests' | 'cut-replies', laterMs: number): number {
    let takesMs = this.latency() + laterMs;
    for (const { kind, amount } of this.faults) {
      if (kind === cut) return NEVER;
      if (kind === 'lose' && this.random() * 1000 < amount) return NEVER;
      if (kind === 'slow') takesMs += (this.random() ** 2 * amount * SLOWEST_MS) / 1000;
    }
    const { now } = this.world;
    return now < FAULTS_END_MS ? Math.min(now + takesMs, FAULTS_END_MS) : now + takesMs;
  }

  private latency(): number {
    const chance = this.random();
    return 0.1 + chance * chance * (chance > 0.99 ? 40 : 3);
  }

  private isHit(kind: Fault['kind']): boolean {
    return this.faults.some((fault) => fault.kind === kind);
  }
}
