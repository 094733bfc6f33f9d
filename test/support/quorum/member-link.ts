/** One candidate's way to one server of a quorum, on which every message can be late or lost. */
import { LeaseStoreError } from '../../../lib/election/election.errors.js';
import type {
  AcquireRequest,
  InspectRequest,
  LeaseWatcher,
  ReleaseRequest,
  RenewRequest,
} from '../../../lib/election/lease-store.interface.js';
import type {
  QuorumMember,
  RaiseEpochRequest,
} from '../../../lib/stores/quorum/quorum-member.interface.js';
import type { VirtualClock } from '../election/virtual-clock.js';
import type { MemberServer } from './member-server.js';

/** What happens to a call. Nothing given: it is answered at once. */
export interface Trouble {
  /** Nothing listens there: it rejects at once. */
  readonly down?: boolean;
  readonly lose?: 'request' | 'reply';
  /** How long the request is on its way, and the answer on its way back. */
  readonly requestMs?: number;
  readonly replyMs?: number;
}

export type MemberOperation = 'acquire' | 'raiseEpoch' | 'renew' | 'release' | 'inspect';

export interface MemberCall {
  readonly operation: MemberOperation;
  readonly at: number;
  readonly attempt: number;
  readonly epoch: number;
}

type Request = AcquireRequest | RaiseEpochRequest | RenewRequest | ReleaseRequest | InspectRequest;

/** Settles each call within its timeout, as a `RedisLeaseStore` does; a late request is carried out all the same. */
export class MemberLink implements QuorumMember {
  readonly calls: MemberCall[] = [];
  /** Over what the server has. */
  trouble: (operation: MemberOperation) => Trouble = () => ({});
  /** Hears of no release. */
  deaf = false;
  closed = false;
  private readonly network: VirtualClock;
  private readonly watchers = new Set<LeaseWatcher>();

  constructor(
    private readonly server: MemberServer,
    clock: VirtualClock,
  ) {
    this.network = clock.fork();
  }

  get openWatchers(): number {
    return this.watchers.size;
  }

  count(operation: MemberOperation, sinceMs = 0): number {
    return this.calls.filter((call) => call.operation === operation && call.at >= sinceMs).length;
  }

  acquire = (request: AcquireRequest) =>
    this.carry('acquire', request, () => this.server.store.acquire(request));

  raiseEpoch = (request: RaiseEpochRequest) =>
    this.carry('raiseEpoch', request, () => this.server.store.raiseEpoch(request));

  renew = (request: RenewRequest) =>
    this.carry('renew', request, () => this.server.store.renew(request));

  release = (request: ReleaseRequest) =>
    this.carry('release', request, () => this.server.store.release(request));

  inspect = (request: InspectRequest) =>
    this.carry('inspect', request, () => this.server.store.inspect(request));

  watch(election: string, watcher: LeaseWatcher): () => void {
    const gated: LeaseWatcher = {
      freed: () => this.deaf || watcher.freed(),
      reconnected: () => watcher.reconnected(),
      noticed: (text) => watcher.noticed?.(text),
    };
    this.watchers.add(gated);
    const unwatch = this.server.store.watch(election, gated);
    return () => {
      this.watchers.delete(gated);
      unwatch();
    };
  }

  tell(act: (watcher: LeaseWatcher) => void): void {
    for (const watcher of this.watchers) act(watcher);
  }

  async close(): Promise<void> {
    this.closed = true;
  }

  private carry<T>(
    operation: MemberOperation,
    request: Request,
    perform: () => Promise<T>,
  ): Promise<T> {
    const { attempt = 0, epoch = 0 } = request as { attempt?: number; epoch?: number };
    this.calls.push({ operation, attempt, epoch, at: this.network.elapsedMs });
    const trouble = { ...this.server.trouble, ...this.trouble(operation) };
    return new Promise<T>((resolve, reject) => {
      const fail = (why: string) => reject(new LeaseStoreError('unreachable', why));
      if (trouble.down === true) return fail('connect ECONNREFUSED');
      const { timeoutMs } = request;
      const cancel = this.network.setTimer(() => fail(`No answer in ${timeoutMs} ms.`), timeoutMs);
      const travel = async (): Promise<void> => {
        await this.pass(trouble.requestMs);
        if (trouble.lose === 'request') return;
        const answer = await perform();
        if (trouble.lose === 'reply') return;
        await this.pass(trouble.replyMs);
        cancel();
        resolve(answer);
      };
      travel().catch(reject);
    });
  }

  private async pass(ms = 0): Promise<void> {
    if (ms <= 0) return;
    await new Promise<void>((resolve) => {
      this.network.setTimer(resolve, ms);
    });
  }
}
