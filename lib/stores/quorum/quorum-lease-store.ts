import type { Clock } from '../../election/clock.interface.js';
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
import { Contention } from './contention.js';
import { collect, majorityOf, type Tally } from './collect.js';
import { Member } from './member.js';
import { noMajority } from './no-majority.js';
import type { QuorumMember } from './quorum-member.interface.js';
import { watchAll } from './quorum-watch.js';
import { refusalOf, sightOf, type Refused } from './refusal.js';
import { UnderWay } from './under-way.js';

/** The answer of a server on which nobody ever led. */
const NO_EPOCH = new Error('No epoch is known.');

/** How long a withdrawal may keep the application from closing; what is not given back by then runs out. */
const CLOSE_PATIENCE_MS = 1000;

/**
 * One lease on several independent servers, held by whoever holds it on a majority of them: as in Redlock
 * (https://redis.io/docs/latest/develop/use/patterns/distributed-locks/), with what that lacks: an epoch that grows
 * over every majority, a hold-off for a server that came back empty, and nothing half-taken left behind.
 *
 * Guaranteed: at most one holder at any instant, whatever happens to less than half of the servers within one lease
 * duration, since any two majorities share a server, and that one keeps all the rules by itself.
 * Not guaranteed: that epochs grow when, besides a loss of data, the servers' clocks differ by more than a lease.
 *
 * `redis: [a, b, c]` makes one of `RedisLeaseStore`s. The members are closed with it.
 *
 * @publicApi
 */
export class QuorumLeaseStore implements LeaseStore {
  private readonly members: readonly Member[];
  private readonly majority: number;
  private readonly clock: Clock;
  private readonly random: () => number;
  private readonly contention: Contention;
  private readonly watchers = new Set<LeaseWatcher>();
  private readonly underWay: UnderWay;

  /** @throws {RangeError} unless there is an odd number of different members, three or more. */
  constructor(stores: readonly QuorumMember[]);
  /** @internal For tests of this package. */
  constructor(stores: readonly QuorumMember[], options: { clock: Clock; random?: () => number });
  constructor(
    private readonly stores: readonly QuorumMember[],
    options: { clock?: Clock; random?: () => number } = {},
  ) {
    assertMembers(stores);
    const { clock = new SystemClock(), random = Math.random } = options;
    this.clock = clock;
    this.random = random;
    this.contention = new Contention(random);
    this.underWay = new UnderWay(clock);
    this.majority = majorityOf(stores.length);
    this.members = stores.map(
      (store, index) => new Member(store, (what) => this.tellOf(index, what)),
    );
  }

  async acquire(request: AcquireRequest): Promise<AcquireReply> {
    const startedAt = this.clock.monotonicMs();
    const timeoutMs = Math.max(1, Math.floor(request.timeoutMs / 3));
    const isNew = request.holdOff === 'auto' && request.floor === 0;
    const floor = isNew ? await this.lookAround(request, timeoutMs) : request.floor;
    const calls = this.all((member) => member.acquire({ ...request, floor, timeoutMs }));
    const granted = await collect(calls, (reply) => reply.granted);
    if (granted.yes.length < this.majority) {
      this.withdraw(request, calls);
      return this.refuse(request, granted);
    }
    const epochs = granted.yes.map((reply) => (reply.granted ? reply.epoch : 0));
    const epoch = Math.max(floor, ...epochs) + 1;
    const leftMs = request.timeoutMs - (this.clock.monotonicMs() - startedAt);
    const raised = await this.raiseEpochs(request, epoch, Math.max(1, Math.floor(leftMs)));
    if (raised.yes.length < this.majority) {
      this.withdraw(request, calls);
      return this.overtaken(request, epoch, raised);
    }
    this.contention.over(request.election);
    const notice = granted.yes.find((reply) => reply.notice !== undefined)?.notice;
    return { granted: true, epoch, ...(notice === undefined ? {} : { notice }) };
  }

  async renew(request: RenewRequest): Promise<RenewReply> {
    const calls = this.all((member) => member.renew(request));
    const tally = await collect(calls, ({ renewed }) => renewed);
    if (tally.no.length >= this.majority) return jointNo(tally.no);
    this.joinOthers(request, calls);
    if (tally.yes.length >= this.majority) return { renewed: true };
    throw noMajority('renew', tally, this.members.length);
  }

  async release(request: ReleaseRequest): Promise<boolean> {
    const tally = await collect(
      this.all((member) => member.release(request)),
      isTrue,
    );
    if (tally.yes.length >= this.majority) return true;
    if (tally.no.length >= this.majority) return false;
    throw noMajority('release', tally, this.members.length);
  }

  async inspect(request: InspectRequest): Promise<LeaseSight> {
    const tally = await collect(
      this.all((member) => member.inspect(request)),
      () => true,
    );
    if (tally.yes.length < this.majority) throw noMajority('inspect', tally, this.members.length);
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
    await this.underWay.settled(CLOSE_PATIENCE_MS);
    await Promise.all(this.stores.map((store) => store.close()));
  }

  private all<T>(ask: (member: Member) => Promise<T>): Promise<T>[] {
    return this.members.map((member) => this.underWay.add(ask(member)));
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
      this.underWay.add(giveBack()).catch(() => undefined);
    }
  }

  /**
   * Whoever knows of no epoch could take a server that was flushed for one where the election is new. It is new only
   * where all say so: one that gives no answer may know better.
   */
  private async lookAround({ election }: AcquireRequest, timeoutMs: number): Promise<number> {
    const looks = this.all((member) => member.inspect({ election, timeoutMs }));
    const known = looks.map(async (look) => {
      const { seenEpoch } = await look;
      if (seenEpoch === 0) throw NO_EPOCH;
      return seenEpoch;
    });
    return Promise.any(known).catch(({ errors }: AggregateError) =>
      errors.every((error) => error === NO_EPOCH) ? 0 : 1,
    );
  }

  /** The second round: one epoch above what each of them granted, so that any later majority knows of it. */
  private raiseEpochs(
    { election, by, attempt, minReplicaAcks }: AcquireRequest,
    epoch: number,
    timeoutMs: number,
  ): Promise<Tally<boolean>> {
    const request = { election, by, attempt, epoch, minReplicaAcks, timeoutMs };
    return collect(
      this.all((member) => member.raiseEpoch(request)),
      isTrue,
    );
  }

  /** Whoever leads asks the servers that were not its own as well, or the next one to fail would end it. */
  private joinOthers(request: RenewRequest, calls: readonly Promise<RenewReply>[]): void {
    for (const [index, call] of calls.entries()) {
      const join = async (): Promise<void> => {
        const { renewed } = await call;
        if (!renewed) await this.members[index]?.join(request);
      };
      this.underWay.add(join()).catch(() => undefined);
    }
  }

  private refuse({ election }: AcquireRequest, tally: Tally<AcquireReply>): Refused {
    this.assertReachable('acquire', tally);
    const refusals = tally.no.flatMap((reply) => (reply.granted ? [] : reply));
    const { refused, contended } = refusalOf(refusals, tally.yes.length, this.members.length);
    if (contended) return this.contention.backOff(election, refused);
    this.contention.over(election);
    return refused;
  }

  /** Its leases ended before they were raised; whoever has them now may be no leader either. */
  private overtaken(
    { election, ttlMs }: AcquireRequest,
    epoch: number,
    tally: Tally<boolean>,
  ): Refused {
    this.assertReachable('acquire', tally);
    const sight = { leader: null, seenEpoch: epoch, seenTtlMs: 0, waitMs: ttlMs };
    return this.contention.backOff(election, { ...sight, granted: false, because: 'held' });
  }

  private assertReachable<T>(operation: string, tally: Tally<T>): void {
    const reachable = this.members.length - tally.failed.length;
    if (reachable < this.majority) throw noMajority(operation, tally, this.members.length);
  }

  /** A member that fails while the others go on would else be noticed only when the next one does. */
  private tellOf(index: number, what: string): void {
    const at = new Date(this.clock.wallMs()).toISOString();
    const text = `Server ${index + 1} of ${this.members.length} ${what} (${at})`;
    for (const watcher of this.watchers) watcher.noticed?.(text);
  }
}

function assertMembers(stores: readonly QuorumMember[]): void {
  const different = new Set(stores).size;
  if (different >= 3 && different % 2 === 1 && different === stores.length) return;
  throw new RangeError(
    `QuorumLeaseStore: expected an odd number of different stores, from 3, got ${stores.length}, of which ${different} ` +
      'are different. A majority of them must be up: of 3 one may fail, of 4 only one as well.',
  );
}

function jointNo(replies: readonly RenewReply[]): RenewReply {
  const refusals = replies.flatMap((reply) => (reply.renewed ? [] : reply));
  return {
    renewed: false,
    because: refusals.some(({ because }) => because === 'taken') ? 'taken' : 'gone',
    seenEpoch: Math.max(...refusals.map(({ seenEpoch }) => seenEpoch)),
  };
}

function isTrue(answer: boolean): boolean {
  return answer;
}
