import type {
  AcquireReply,
  AcquireRequest,
  InspectRequest,
  LeaseSight,
  ReleaseRequest,
  RenewReply,
  RenewRequest,
} from '../../election/lease-store.interface.js';
import type { QuorumMember, RaiseEpochRequest } from './quorum-member.interface.js';

/** So many calls in a row must fail, or be answered again, until it is worth a line in the log. */
const FAILURES_TO_TELL = 2;
const ANSWERS_TO_TELL = 3;

/**
 * One server of a quorum as this process knows it: the epochs that were seen there, since another server's say
 * nothing about what this one may have lost, whose lease it has, and whether it answers.
 */
export class Member {
  private readonly seen = new Map<string, number>();
  /** For each election the epoch that has the lease here, as far as this process knows. */
  private readonly joined = new Map<string, number>();
  /** For each election the last epoch that was given back by whoever led with it. */
  private readonly released = new Map<string, number>();
  private failures = 0;
  private answers = 0;
  private isFailing = false;

  constructor(
    private readonly store: QuorumMember,
    /** Told when it begins to fail and when it answers again. */
    private readonly tell: (what: string) => void,
  ) {}

  async acquire(request: AcquireRequest): Promise<AcquireReply> {
    const reply = await this.heard(this.store.acquire({ ...request, floor: this.floor(request) }));
    this.saw(request.election, reply.granted ? reply.epoch : reply.seenEpoch);
    return reply;
  }

  async raiseEpoch(request: RaiseEpochRequest): Promise<boolean> {
    const { election, epoch } = request;
    // Also while the answer is on its way: a majority of the others may have made it a leadership already.
    this.joined.set(election, epoch);
    let raised = false;
    try {
      raised = await this.heard(this.store.raiseEpoch(request));
    } finally {
      if (raised) this.saw(election, epoch);
      else if (this.joined.get(election) === epoch) this.joined.delete(election);
    }
    return raised;
  }

  /**
   * Where this epoch never had the lease it is only looked at: a renewal would write it back, as on a server that lost
   * its data, and the next candidate to ask there would be made to wait for nothing.
   */
  async renew(request: RenewRequest): Promise<RenewReply> {
    const { election, epoch } = request;
    if (this.joined.get(election) !== epoch) {
      const { leader, seenEpoch } = await this.inspect(request);
      const because = leader !== null || seenEpoch > epoch ? 'taken' : 'gone';
      return { renewed: false, because, seenEpoch };
    }
    const reply = await this.heard(this.store.renew(request));
    this.saw(election, reply.renewed ? epoch : reply.seenEpoch);
    if (!reply.renewed) this.joined.delete(election);
    return reply;
  }

  /** Asks as anybody would for the lease that the others have given already, unless it was released meanwhile. */
  async join(request: RenewRequest): Promise<void> {
    if (this.isReleased(request)) return;
    const { epoch: floor, ttlMs: longestTtlMs } = request;
    const reply = await this.acquire({ ...request, floor, longestTtlMs, holdOff: 'always' });
    if (!reply.granted) return;
    if (this.isReleased(request)) await this.release(request);
    else await this.raiseEpoch(request);
  }

  /** Not counted: it follows a call that has failed, and would make two failures of one. */
  release(request: ReleaseRequest): Promise<boolean> {
    const released = Math.max(request.epoch, this.released.get(request.election) ?? 0);
    this.released.set(request.election, released);
    return this.store.release(request);
  }

  async inspect(request: InspectRequest): Promise<LeaseSight> {
    const sight = await this.heard(this.store.inspect(request), 'look');
    this.saw(request.election, sight.seenEpoch);
    return sight;
  }

  /** Whoever knows the election from elsewhere must not take this server for one where nothing was lost: hence 1. */
  private floor({ election, floor }: AcquireRequest): number {
    return Math.max(this.seen.get(election) ?? 0, Math.min(1, floor));
  }

  private isReleased({ election, epoch }: RenewRequest): boolean {
    return epoch <= (this.released.get(election) ?? 0);
  }

  private saw(election: string, epoch: number): void {
    this.seen.set(election, Math.max(this.seen.get(election) ?? 0, epoch));
  }

  /** That it can be looked at does not say that it can be written to: it may be full, or a replica. */
  private async heard<T>(call: Promise<T>, kind: 'look' | 'write' = 'write'): Promise<T> {
    try {
      const answer = await call;
      if (kind === 'look') return answer;
      this.answers += 1;
      this.failures = 0;
      if (this.isFailing && this.answers >= ANSWERS_TO_TELL) {
        this.isFailing = false;
        this.tell('answers again');
      }
      return answer;
    } catch (error) {
      this.failures += 1;
      this.answers = 0;
      if (!this.isFailing && this.failures >= FAILURES_TO_TELL) {
        this.isFailing = true;
        this.tell(`fails: ${error instanceof Error ? error.message : String(error)}`);
      }
      throw error;
    }
  }
}
