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
} from '../../../lib/election/lease-store.interface.js';
import { LeaseStoreError } from '../../../lib/election/election.errors.js';
import type { StoreOperation } from '../../../lib/election/election-events.interface.js';
import type { Transcript } from './transcript.js';
import type { VirtualClock } from './virtual-clock.js';

/** What happens to one call on its way. Nothing given: it is answered at once. */
export interface Fault {
  /** How long the request is on its way to the store. */
  readonly requestMs?: number;
  /** How long the answer is on its way back. */
  readonly replyMs?: number;
  /** The call never settles: its request never arrives, or its answer does not. */
  readonly lose?: 'request' | 'reply';
  /**
   * The call rejects: before or after the store has carried it out, by a throw instead of a promise, or since the
   * store answers that it cannot.
   */
  readonly fail?: 'before' | 'after' | 'throw' | 'answer';
  /** Given in place of the store's own answer; the store is not asked. */
  readonly answer?: unknown;
}

export interface Call {
  readonly operation: StoreOperation;
  readonly at: number;
}

interface ScriptOptions {
  readonly name?: string;
  readonly transcript?: Transcript;
  /** Fails on every call that was not announced by `next`; `assertDone` tells. */
  readonly strict?: boolean;
}

type Request = AcquireRequest | RenewRequest | ReleaseRequest | InspectRequest;

/** One candidate's way to the store, on which every call can be delayed, lost or broken. */
export class ScriptedStore implements LeaseStore {
  readonly calls: (Call & { readonly request: Request })[] = [];
  /** Asked for each call that `next` and `always` say nothing of. */
  faults: (call: Call) => Fault = () => ({});
  /** No `freed` and no `reconnected` gets through. */
  deaf = false;

  private readonly network: VirtualClock;
  private readonly announced = new Map<StoreOperation, Fault[]>();
  private readonly standing = new Map<StoreOperation, Fault>();
  private readonly unannounced: string[] = [];
  private readonly watchers = new Set<LeaseWatcher>();

  constructor(
    private readonly inner: LeaseStore,
    private readonly clock: VirtualClock,
    private readonly options: ScriptOptions = {},
  ) {
    this.network = clock.fork();
  }

  /** For the next call of this kind that nothing was said of yet. */
  next(operation: StoreOperation, fault: Fault = {}): this {
    this.announced.set(operation, [...(this.announced.get(operation) ?? []), fault]);
    return this;
  }

  /** For every call of this kind until `heal`. */
  always(operation: StoreOperation, fault: Fault): this {
    this.standing.set(operation, fault);
    return this;
  }

  /** Nothing gets through until `heal`. */
  cut(fault: Fault = { lose: 'request' }): void {
    for (const operation of OPERATIONS) this.always(operation, fault);
    this.deaf = true;
  }

  heal(): void {
    this.standing.clear();
    this.deaf = false;
  }

  /** Tells the watchers what a connection tells them when it is back. */
  reconnect(): void {
    for (const watcher of this.watchers) watcher.reconnected();
  }

  count(operation: StoreOperation, sinceMs = 0): number {
    return this.calls.filter((call) => call.operation === operation && call.at >= sinceMs).length;
  }

  get openWatchers(): number {
    return this.watchers.size;
  }

  /** Fails when the strict store was called out of turn, or not called as announced. */
  assertDone(): void {
    const missing = [...this.announced].flatMap(([operation, faults]) =>
      faults.map(() => `missing: ${operation}`),
    );
    const problems = [...this.unannounced, ...missing];
    if (problems.length > 0)
      throw new Error(`The store was not called as announced:\n${problems.join('\n')}`);
  }

  acquire(request: AcquireRequest): Promise<AcquireReply> {
    return this.carry('acquire', request, () => this.inner.acquire(request));
  }

  renew(request: RenewRequest): Promise<RenewReply> {
    return this.carry('renew', request, () => this.inner.renew(request));
  }

  release(request: ReleaseRequest): Promise<boolean> {
    return this.carry('release', request, () => this.inner.release(request));
  }

  inspect(request: InspectRequest): Promise<LeaseSight> {
    return this.carry('inspect', request, () => this.inner.inspect(request));
  }

  watch(election: string, watcher: LeaseWatcher): () => void {
    const gated: LeaseWatcher = {
      noticed: (text) => watcher.noticed?.(text),
      freed: () => this.tell(() => watcher.freed()),
      reconnected: () => this.tell(() => watcher.reconnected()),
    };
    this.watchers.add(gated);
    const unwatch = this.inner.watch(election, gated);
    return () => {
      this.watchers.delete(gated);
      unwatch();
    };
  }

  async close(): Promise<void> {}

  private tell(message: () => void): void {
    if (this.deaf) return;
    void this.clock.awake().then(message);
  }

  /** Not `async`, so that a fault can throw instead of returning a promise. */
  private carry<T>(
    operation: StoreOperation,
    request: Request,
    perform: () => Promise<T>,
  ): Promise<T> {
    const call = { operation, at: this.clock.elapsedMs, request };
    this.calls.push(call);
    const fault = this.faultFor(call);
    if (fault.fail === 'throw') {
      this.note(operation, 'throws');
      throw new Error(`${operation} throws`);
    }
    return this.travel(operation, fault, perform);
  }

  private async travel<T>(
    operation: StoreOperation,
    fault: Fault,
    perform: () => Promise<T>,
  ): Promise<T> {
    await this.wait(fault.requestMs);
    if (fault.lose === 'request') return this.never(operation, 'request lost');
    if (fault.fail === 'before') return this.reject(operation, 'fails');
    if (fault.fail === 'answer') throw new LeaseStoreError('unavailable', `${operation}: OOM`);
    // The boundary of a script: the case vouches for the type of its answer.
    const answer = 'answer' in fault ? (fault.answer as T) : await perform();
    if (fault.lose === 'reply') return this.never(operation, `${told(answer)}, answer lost`);
    await this.wait(fault.replyMs);
    await this.clock.awake();
    if (fault.fail === 'after') return this.reject(operation, `${told(answer)}, then fails`);
    this.note(operation, told(answer));
    return answer;
  }

  private faultFor(call: Call): Fault {
    const fault = this.announced.get(call.operation)?.shift();
    if (fault !== undefined) return fault;
    if (this.options.strict === true) {
      this.unannounced.push(`unannounced: ${call.operation} at ${call.at}`);
      return { fail: 'before' };
    }
    return this.standing.get(call.operation) ?? this.faults(call);
  }

  private async wait(ms = 0): Promise<void> {
    if (ms <= 0) return;
    await new Promise<void>((resolve) => {
      this.network.setTimer(resolve, ms);
    });
  }

  private never<T>(operation: StoreOperation, what: string): Promise<T> {
    this.note(operation, what);
    return new Promise<T>(() => undefined);
  }

  private async reject(operation: StoreOperation, what: string): Promise<never> {
    this.note(operation, what);
    await this.clock.awake();
    throw new Error(`${operation} ${what}`);
  }

  private note(operation: StoreOperation, what: string): void {
    this.options.transcript?.add(this.options.name ?? '?', `${operation}: ${what}`);
  }
}

const OPERATIONS: readonly StoreOperation[] = ['acquire', 'renew', 'release', 'inspect'];

function told(answer: unknown): string {
  if (typeof answer !== 'object' || answer === null) return answer === true ? 'yes' : 'no';
  if ('renewed' in answer) {
    const reply = answer as RenewReply;
    return reply.renewed ? 'yes' : `no, ${reply.because}`;
  }
  if ('granted' in answer) {
    const reply = answer as AcquireReply;
    if (reply.granted) return `yes, epoch ${reply.epoch}`;
    return `no, ${reply.because}, ${Math.round(reply.waitMs)} ms left`;
  }
  return `${Math.round((answer as LeaseSight).waitMs)} ms left`;
}
