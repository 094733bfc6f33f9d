import type { Clock } from '../../election/clock.interface.js';
import { LeaseStoreError } from '../../election/election.errors.js';
import type {
  AcquireReply,
  AcquireRequest,
  InspectRequest,
  LeaseSight,
  LeaseStore,
  LeaseWatcher,
  ReleaseRequest,
  RenewReply,
  RenewRequest,
} from '../../election/lease-store.interface.js';
import { SystemClock } from '../../system-clock.js';
import { collect, majorityOf, type Tally } from './collect.js';
import { Member } from './member.js';
import type { QuorumMember } from './quorum-member.interface.js';
import { watchAll } from './quorum-watch.js';
import { refusalOf, sightOf, type Refused } from './refusal.js';

/** Candidates that took the members from each other ask again after a random time: at first up to this … */
const CONTENTION_BACKOFF_MS = 10;
/** … then each time up to twice as long. After so many times in a row they wait until the leases end. */
const CONTENTION_TRIES = 6;

/**
 * One lease on several independent servers, held by whoever holds it on a majority of them: as in Redlock
 * (https://redis.io/docs/latest/develop/use/patterns/distributed-locks/), with what that lacks: an epoch that grows
 * over every majority, a hold-off for a server that came back empty, and nothing half-taken left behind.
 *
 * Guaranteed: at most one holder at any instant, whatever happens to less than half of the servers within one lease
 * duration, since any two majorities share a server, and that one keeps all the rules by itself.
 * Not guaranteed: that epochs grow when, besides a loss of data, the servers' clocks differ by more than a lease.
 */
export class QuorumLeaseStore implements LeaseStore {
  private readonly members: readonly Member[];
  private readonly majority: number;
  private readonly clock: Clock;
  private readonly random: () => number;
  /** Of each election, the highest epoch that was ever asked for here: a late second round must not go above it. */
  private readonly proposed = new Map<string, number>();
  /** Of each election, how often in a row nobody got a majority. */
  private readonly contentions = new Map<string, number>();
  private readonly watchers = new Set<LeaseWatcher>();
  /** What nobody waits for, and what must yet be done before the connections are closed. */
  private readonly underWay = new Set<Promise<unknown>>();

  constructor(
    private readonly stores: readonly QuorumMember[],
    {
      clock = new SystemClock(),
      random = Math.random,
    }: { clock?: Clock; random?: () => number } = {},
  ) {
    this.clock = clock;
    this.random = random;
    this.majority = majorityOf(stores.length);
    this.members = stores.map(
      (store, index) => new Member(store, (what) => this.tellOf(index, what)),
    );
  }

  async acquire(request: AcquireRequest): Promise<AcquireReply> {
    const { election, by, attempt, minReplicaAcks, timeoutMs } = request;
    const startedAt = this.clock.monotonicMs();
    const roundMs = Math.max(1, Math.floor(timeoutMs / 2));
    const calls = this.all((member) => member.acquire({ ...request, timeoutMs: roundMs }));
    const first = await collect(calls, ({ granted }) => granted);
    if (first.yes.length < this.majority) {
      this.withdraw(request, calls);
      return this.refuse(request, first);
    }

    const epochs = first.yes.map((reply) => (reply.granted ? reply.epoch : 0));
    const epoch = Math.max(request.floor, this.proposed.get(election) ?? 0, ...epochs) + 1;
    this.proposed.set(election, epoch);
    const leftMs = Math.max(1, Math.floor(timeoutMs - (this.clock.monotonicMs() - startedAt)));
    const raise = { election, by, attempt, epoch, minReplicaAcks, timeoutMs: leftMs };
    const second = await collect(
      this.all((member) => member.raiseEpoch(raise)),
      isTrue,
    );
    if (second.yes.length < this.majority) {
      this.withdraw(request, calls);
      throw this.noMajority('acquire', second);
    }
    this.contentions.delete(election);
    const notice = first.yes.find((reply) => reply.notice !== undefined)?.notice;
    return { granted: true, epoch, ...(notice === undefined ? {} : { notice }) };
  }

  async renew(request: RenewRequest): Promise<RenewReply> {
    const tally = await collect(
      this.all((member) => member.renew(request)),
      ({ renewed }) => renewed,
    );
    if (tally.yes.length >= this.majority) return { renewed: true };
    if (tally.no.length < this.majority) throw this.noMajority('renew', tally);
    const refusals = tally.no.flatMap((reply) => (reply.renewed ? [] : reply));
    return {
      renewed: false,
      because: refusals.some(({ because }) => because === 'taken') ? 'taken' : 'gone',
      seenEpoch: Math.max(...refusals.map(({ seenEpoch }) => seenEpoch)),
    };
  }

  async release(request: ReleaseRequest): Promise<boolean> {
    const tally = await collect(
      this.all((member) => member.release(request)),
      isTrue,
    );
    if (tally.yes.length >= this.majority) return true;
    if (tally.no.length >= this.majority) return false;
    throw this.noMajority('release', tally);
  }

  async inspect(request: InspectRequest): Promise<LeaseSight> {
    const tally = await collect(
      this.all((member) => member.inspect(request)),
      () => true,
    );
    if (tally.yes.length < this.majority) throw this.noMajority('inspect', tally);
    return sightOf(tally.yes, this.members.length);
  }

  watch(election: string, watcher: LeaseWatcher): () => void {
    this.watchers.add(watcher);
    const unwatch = watchAll(this.stores, election, watcher, this.clock, this.random);
    return () => {
      this.watchers.delete(watcher);
      unwatch();
    };
  }

  async close(): Promise<void> {
    while (this.underWay.size > 0) await Promise.allSettled(this.underWay);
    await Promise.all(this.stores.map((store) => store.close()));
  }

  private all<T>(ask: (member: Member) => Promise<T>): Promise<T>[] {
    return this.members.map((member) => this.track(ask(member)));
  }

  private track<T>(call: Promise<T>): Promise<T> {
    this.underWay.add(call);
    const done = () => void this.underWay.delete(call);
    call.then(done, done);
    return call;
  }

  /** Gives back what this attempt was granted, also by answers that are still to come. Where it fails, it runs out. */
  private withdraw(request: AcquireRequest, calls: readonly Promise<AcquireReply>[]): void {
    const { election, by, attempt, timeoutMs } = request;
    for (const [index, call] of calls.entries()) {
      const giveBack = async (): Promise<void> => {
        const reply = await call.catch(() => null);
        if (reply?.granted === false) return;
        // Epoch 0: it has none that anybody ever led with. Nobody is woken, or candidates would wake each other.
        await this.members[index]?.release({ election, by, attempt, epoch: 0, timeoutMs });
      };
      this.track(giveBack()).catch(() => undefined);
    }
  }

  private refuse(request: AcquireRequest, tally: Tally<AcquireReply>): Refused {
    const { election } = request;
    const reachable = this.members.length - tally.failed.length;
    if (reachable < this.majority) throw this.noMajority('acquire', tally);
    const refusals = tally.no.flatMap((reply) => (reply.granted ? [] : reply));
    const { refused, contended } = refusalOf(refusals, tally.yes.length, this.members.length);
    const times = contended ? (this.contentions.get(election) ?? 0) : 0;
    this.contentions.set(election, contended ? times + 1 : 0);
    if (!contended || times >= CONTENTION_TRIES) return refused;
    return { ...refused, waitMs: CONTENTION_BACKOFF_MS * 2 ** times * this.random() };
  }

  private noMajority<T>(operation: string, { yes, no, failed }: Tally<T>): LeaseStoreError {
    const cause = failed[0];
    const kind = cause instanceof LeaseStoreError ? cause.kind : 'unavailable';
    const reason = cause instanceof Error ? `: ${cause.message}` : '.';
    const answered = yes.length + no.length;
    return new LeaseStoreError(
      kind,
      `${answered} of ${this.members.length} servers answered to ${operation}, ${yes.length} with yes, and ` +
        `${this.majority} are needed${reason}`,
      { cause },
    );
  }

  /** A member that fails while the others go on would else be noticed only when the next one does. */
  private tellOf(index: number, what: string): void {
    const at = new Date(this.clock.wallMs()).toISOString();
    const text = `Server ${index + 1} of ${this.members.length} ${what} (${at})`;
    for (const watcher of this.watchers) watcher.noticed?.(text);
  }
}

function isTrue(answer: boolean): boolean {
  return answer;
}
