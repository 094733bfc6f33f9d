import { LeaseStoreError } from '../../election/election.errors.js';
import type { RedisClient } from './redis-client.js';
import { RedisLink } from './redis-link.js';
import { ScriptRunner } from './script-runner.js';

interface Lane {
  readonly link: RedisLink;
  readonly scripts: ScriptRunner;
}

/**
 * A connection for each election that waits for replicas. WAIT holds up all that comes after it on its connection: on a
 * shared one, replicas that are gone would cost every other election its leadership.
 */
export class AckLanes {
  private readonly lanes = new Map<string, Lane>();
  private closed = false;

  constructor(
    private readonly open: () => RedisClient,
    private readonly recovered: () => void,
  ) {}

  /** Opens a connection for this election, once. Throws when closed. */
  of(election: string): ScriptRunner {
    if (this.closed) throw new LeaseStoreError('unreachable', 'The lease store is closed.');
    const known = this.lanes.get(election);
    if (known !== undefined) return known.scripts;
    const link = new RedisLink(this.open(), { recovered: this.recovered });
    const lane = { link, scripts: new ScriptRunner(link) };
    this.lanes.set(election, lane);
    return lane.scripts;
  }

  /** Never hangs and never rejects. */
  async close(): Promise<void> {
    this.closed = true;
    await Promise.all([...this.lanes.values()].map(({ link }) => link.close()));
  }
}
