/** One contestant of the idle cost, case after case. */
import { resolveTiming } from '../../lib/options/timing.js';
import type { RedisServer } from '../../test/support/redis/redis-server.js';
import type { Row } from '../measure.interface.js';
import { OURS } from '../ours.js';
import { median } from '../statistics.js';
import { type Idle, type IdleWindows, idleWindows } from './idle-windows.js';

export interface IdleStep {
  readonly candidates: number;
  /** Left out: as its README says. */
  readonly retryEveryMs?: number;
  /** What few candidates cost is not seen beside what an idle Redis spends. */
  readonly cpu: boolean;
}

export type IdleTime = Pick<Idle, 'ttlMs' | 'windows' | 'cpuWindows'>;

type IdleRow = Omit<Row, 'measure'>;
type Spent = keyof IdleWindows;

const UNITS = { commands: 'commands', bytes: 'bytes', cpuMs: 'ms' } as const;
const NAMES = { commands: 'commands', bytes: 'bytes', cpuMs: 'Redis CPU' } as const;
const EVERYTHING = ['commands', 'bytes', 'cpuMs'] as const;

/** More than that are more commands than one Redis can answer. */
const MOST_CANDIDATES: ReadonlyMap<string, number> = new Map([['redis-semaphore', 100]]);

export class IdleSubject {
  readonly rows: IdleRow[] = [];
  /** What the leader costs alone. */
  private alone: IdleWindows | null = null;

  constructor(
    private readonly id: string,
    private readonly server: RedisServer,
    private readonly time: IdleTime,
  ) {}

  async measure(step: IdleStep): Promise<void> {
    if (step.candidates > (MOST_CANDIDATES.get(this.id) ?? Infinity)) return;
    if (step.retryEveryMs !== undefined && this.id === OURS) this.repeat(step);
    else if (step.candidates === 1) this.rows.push(...this.ofLeader(await this.windows(step)));
    else this.rows.push(...this.ofFollowers(step, await this.windows(step)));
  }

  private windows(step: IdleStep): Promise<IdleWindows> {
    const election = idleCase(step);
    const { cpu, ...idle } = step;
    const cpuWindows = cpu ? this.time.cpuWindows : 0;
    const time = { ...this.time, cpuWindows };
    return idleWindows(this.server, { contestant: this.id, election, ...idle, ...time });
  }

  private ofLeader(alone: IdleWindows): readonly IdleRow[] {
    this.alone = alone;
    const rows = EVERYTHING.map((spent) =>
      this.row(
        { candidates: 1, cpu: true },
        `${NAMES[spent]} per leader and ttl`,
        spent,
        alone[spent],
      ),
    );
    if (this.id !== OURS) return rows;
    const { ttlMs } = this.time;
    const renewals = ttlMs / resolveTiming({ leaseTtlMs: ttlMs }).renewIntervalMs;
    const each = alone.commands.map((commands) => commands / renewals);
    const figure = 'commands per renewal of the leader';
    return [...rows, this.row({ candidates: 1, cpu: true }, figure, 'commands', each)];
  }

  private ofFollowers(step: IdleStep, all: IdleWindows): readonly IdleRow[] {
    const { alone } = this;
    if (alone === null) throw new Error('The leader alone is measured first.');
    return EVERYTHING.filter((spent) => all[spent].length > 0).map((spent) => {
      const ofLeader = median(alone[spent]);
      const each = all[spent].map((total) => (total - ofLeader) / (step.candidates - 1));
      return this.row(step, `${NAMES[spent]} per follower and ttl`, spent, each);
    });
  }

  /** Nothing that it does depends on how often a poller tries. */
  private repeat(step: IdleStep): void {
    const { candidates, cpu } = step;
    const measured = idleCase({ candidates, cpu });
    const rows = this.rows.filter((row) => row.case === measured);
    this.rows.push(...rows.map((row) => ({ ...row, case: idleCase(step) })));
  }

  private row(step: IdleStep, figure: string, spent: Spent, samples: readonly number[]): IdleRow {
    return { contestant: this.id, case: idleCase(step), figure, unit: UNITS[spent], samples };
  }
}

export function idleCase({ candidates, retryEveryMs }: IdleStep): string {
  const size = `${candidates.toLocaleString('en-US')} candidate${candidates === 1 ? '' : 's'}`;
  return retryEveryMs === undefined ? size : `${size}, take-over within ${retryEveryMs} ms`;
}
