/** One server process: its data, its clock, and the name by which the rules know it. */
import type { ServerMoment, StoredElection } from '../../../lib/stores/memory/lease-rules.js';
import type { VirtualClock } from '../../support/election/virtual-clock.js';

export class ServerNode {
  data: StoredElection = { lease: null, record: null };
  /** What it would read from its disk. */
  saved: StoredElection = { lease: null, record: null };
  isUp = true;
  isPrimary = false;
  /** Since it runs it has been a replica. */
  wasPromoted = false;
  private runs = 1;
  private startedAt = -Infinity;
  private stalled: (() => void)[] | null = null;

  constructor(
    readonly name: string,
    readonly clock: VirtualClock,
    /** Changes whenever a replica is promoted; replicas take it over from their primary. */
    public replication: string,
  ) {}

  moment(): ServerMoment {
    return {
      id: `${this.name}.${this.runs}/${this.replication}`,
      nowMs: this.clock.wallMs(),
      upMs: this.clock.monotonicMs() - this.startedAt,
      wasPromoted: this.wasPromoted,
    };
  }

  /** Handles a command now, or when it is through with what holds it up. */
  receive(command: () => void): void {
    if (this.stalled === null) command();
    else this.stalled.push(command);
  }

  stall(): void {
    this.stalled ??= [];
  }

  goOn(): void {
    const commands = this.stalled ?? [];
    this.stalled = null;
    for (const command of commands) command();
  }

  /** Ends, and will find that data when it starts again. */
  goDown(data: StoredElection): void {
    this.isUp = false;
    this.data = data;
  }

  /** A new process; what the old one held up is gone with it. */
  comeUp(): void {
    this.isUp = true;
    this.wasPromoted = false;
    this.runs += 1;
    this.replication = `${this.name}.${this.runs}`;
    this.startedAt = this.clock.monotonicMs();
    this.stalled = null;
  }
}

export function copyOf({ lease, record }: StoredElection): StoredElection {
  // The rules replace what lies deeper, and change nothing there.
  return {
    lease: lease === null ? null : { ...lease },
    record: record === null ? null : { ...record },
  };
}
