/** A way to have one leader among several processes, driven as its own README says. */

/** One candidate of one contestant. */
export interface BenchCandidate {
  /** Whether it says to lead now, by what its users would ask. */
  isLeading(): boolean;
  /** Ends taking part, and gives the lease back where it has one, by what its users would call. */
  stop(): Promise<void>;
}

export interface CandidateOptions {
  /** A Redis URL. */
  readonly url: string;
  readonly election: string;
  /** Its name in this run. */
  readonly name: string;
  readonly ttlMs: number;
  /** Called when it begins or ceases to lead, as soon as the contestant tells its users so. */
  readonly changed: (isLeading: boolean) => void;
  /** In place of what its README says about how often to try; for measures that ask for an equal take-over time. */
  readonly retryEveryMs?: number;
}

export interface Contestant {
  /** Its name on npm; for the loop 'hand-written loop'. */
  readonly id: string;
  /** How it is driven, in a line, for the reader of the figures. */
  readonly driven: string;
  /** The key in Redis whose expiry is the end of the lease. */
  leaseKey(election: string): string;
  /** Takes part from now on. */
  start(options: CandidateOptions): Promise<BenchCandidate>;
}
