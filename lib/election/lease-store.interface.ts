/** Who leads an election, as the store tells it. */
export interface LeaderInfo {
  readonly nodeId: string;
  readonly epoch: number;
  /** What that node advertises with its lease, for example `{ url }`. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** When a server that may have lost data makes candidates wait; see rule 15 in docs/architecture.md. */
export type HoldOff = 'auto' | 'always' | 'never';

/** The one who asks. */
export interface LeaseHolder {
  /** Names this candidate in this process start, never two of them (rule 6). */
  readonly holder: string;
  readonly nodeId: string;
  readonly metadata: Readonly<Record<string, string>>;
}

export interface AcquireRequest {
  readonly election: string;
  readonly by: LeaseHolder;
  /** Grows with each request of this holder, so that a late one changes nothing (rule 7). */
  readonly attempt: number;
  readonly ttlMs: number;
  /** The highest epoch that this candidate ever saw (rule 13). */
  readonly floor: number;
  /** The longest lease, in ms, that this candidate has or ever saw: how long one that was lost may still be acted on. */
  readonly longestTtlMs: number;
  readonly holdOff: HoldOff;
  /** How many replicas must have the grant before it counts (rule 17); 0 for none. */
  readonly minReplicaAcks: number;
  readonly timeoutMs: number;
}

export interface RenewRequest {
  readonly election: string;
  readonly by: LeaseHolder;
  /** The attempt that was granted; written back with the lease when the store lost it (rule 12). */
  readonly attempt: number;
  readonly epoch: number;
  readonly ttlMs: number;
  readonly minReplicaAcks: number;
  readonly timeoutMs: number;
}

export interface ReleaseRequest {
  readonly election: string;
  readonly by: LeaseHolder;
  /** The attempt that was granted. */
  readonly attempt: number;
  /** 0 for an attempt that never became a leadership: nobody is told that the lease is free. */
  readonly epoch: number;
  readonly timeoutMs: number;
}

export interface InspectRequest {
  readonly election: string;
  readonly timeoutMs: number;
}

/** What the store knows of an election at this moment. */
export interface LeaseSight {
  /** The present holder, null where the lease is free; with epoch 0 where another program wrote the lease. */
  readonly leader: LeaderInfo | null;
  /** The highest epoch the store knows, 0 when none. */
  readonly seenEpoch: number;
  /** How long its last leader's lease lasts, in ms; 0 when none is known. */
  readonly seenTtlMs: number;
  /** How long until the lease can be free: what is left of it, and of any wait. */
  readonly waitMs: number;
  /** Something about the store that a person should know; it is logged once. */
  readonly notice?: string;
}

/**
 * Why an acquire was refused: another holds the lease; the server may have lost data and is waited for (rule 15);
 * the lease vanished before its end (rule 16); a later attempt of this holder was already granted (rule 7).
 */
export type RefusalCause = 'held' | 'hold-off' | 'vanished' | 'outdated';

export type AcquireReply =
  | { readonly granted: true; readonly epoch: number; readonly notice?: string }
  | ({ readonly granted: false; readonly because: RefusalCause } & LeaseSight);

export type RenewReply =
  | { readonly renewed: true }
  | { readonly renewed: false; readonly because: 'taken' | 'gone'; readonly seenEpoch: number };

export interface LeaseWatcher {
  /** The lease was released: try at once (rule 19). May be lost, late, repeated or wrong. */
  freed(): void;
  /** The store can be reached again: check at once (rule 20). */
  reconnected(): void;
  /** Something about the store that endangers the promise, and that a person should know. Told once. */
  noticed?(text: string): void;
}

/**
 * Where leases live. The same contract suite (`test/contract`) runs against every implementation.
 *
 * Each call is one atomic step at the store. A call rejects when the store does not answer with a clear yes or no;
 * it should settle within `timeoutMs`, and the election survives it when it never does.
 */
export interface LeaseStore {
  acquire(request: AcquireRequest): Promise<AcquireReply>;
  renew(request: RenewRequest): Promise<RenewReply>;
  /** True when the lease was exactly this holder's, of this epoch or attempt, and is now free. */
  release(request: ReleaseRequest): Promise<boolean>;
  inspect(request: InspectRequest): Promise<LeaseSight>;
  /** Calls the watcher until the returned function is called. Never throws. */
  watch(election: string, watcher: LeaseWatcher): () => void;
  /** Frees what the store opened. Never hangs and never rejects; calls after it reject. */
  close(): Promise<void>;
}
