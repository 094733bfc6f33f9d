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
import type { Fault } from '../plan.js';
import type { Answering, Command, Member } from './member.js';
import type { ServerNode } from './server-node.js';
import { NEVER, Way } from './way.js';
import type { World } from './world.js';

/** Who is at the near end: a process that may be stopped, or gone. */
export interface Receiver {
  readonly name: string;
  /** Runs it when the process can; never where it is gone. */
  deliver(message: () => void): void;
  /** A server said in time that this is over. */
  refusedEpoch: number;
}

/** An answer within this part of its timeout is surely not given up yet. */
const IN_TIME_PART = 0.9;

export class Link implements QuorumMember {
  node: ServerNode;
  /** The next answer gets lost, and no other. */
  losesNextAnswer = false;
  private watcher: LeaseWatcher | null = null;
  private readonly way: Way;

  constructor(
    private readonly world: World,
    private readonly member: Member,
    private readonly process: Receiver,
    /** What is wrong on this way now; it belongs to the machine, and its next process finds it so. */
    faults: readonly Fault[],
    /** Gives unanswered calls up in time, as a Redis store does; null: they never settle. */
    private readonly timers: Clock | null,
  ) {
    this.way = new Way(world, faults);
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
    const inTimeUntil = this.world.now + IN_TIME_PART * request.timeoutMs;
    const hear = (reply: RenewReply) => {
      if (reply.renewed || this.timers !== null || this.world.now > inTimeUntil) return;
      this.process.refusedEpoch = request.epoch;
    };
    return this.ask<RenewReply>(
      {
        name: 'renew',
        perform: (node) => rules.renew(node.data, request, node.moment()),
        isYes: ({ renewed }) => renewed,
        acks: request.minReplicaAcks,
        timeoutMs: request.timeoutMs,
        frees: false,
      },
      hear,
    );
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
    const takesMs = this.way.newsTakesMs();
    if (node !== this.node || takesMs === null) return;
    this.world.after(takesMs, () => {
      this.process.deliver(() => this.watcher?.freed());
    });
  }

  hearReconnected(): void {
    this.process.deliver(() => this.watcher?.reconnected());
  }

  private ask<T>(command: Command<T>, hear?: (answer: T) => void): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const { timeoutMs } = command;
      const giveUp = () => reject(new LeaseStoreError('unreachable', `${timeoutMs} ms are over`));
      const cancel = this.timers?.setTimer(giveUp, timeoutMs);
      const settle = (message: () => void) => {
        cancel?.();
        message();
      };
      const reply: Answering<T> = {
        answer: (value) =>
          this.toCandidate(() => {
            hear?.(value);
            settle(() => resolve(value));
          }),
        fail: (error) => this.toCandidate(() => settle(() => reject(error))),
      };
      this.toServer(() => this.member.handle(this, command, reply), 0);
      const laterMs = this.way.repeatedAfterMs();
      if (laterMs === null) return;
      const ignored: Answering<T> = { answer: () => undefined, fail: () => undefined };
      this.toServer(() => this.member.handle(this, command, ignored), laterMs);
    });
  }

  private toServer(message: () => void, laterMs: number): void {
    const arrival = this.way.arrival('cut-requests', laterMs);
    if (arrival === NEVER) this.world.note?.(this.owner, 'its request is lost');
    else this.world.at(arrival, message);
  }

  private toCandidate(message: () => void): void {
    const arrival = this.losesNextAnswer ? NEVER : this.way.arrival('cut-replies', 0);
    this.losesNextAnswer = false;
    if (arrival === NEVER) this.world.note?.(this.owner, 'the answer to it is lost');
    else this.world.at(arrival, () => this.process.deliver(message));
  }
}
