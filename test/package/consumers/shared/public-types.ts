/** Compiled, not run: how the public types look to an application, whatever its compiler options. */
import { type Cluster, Redis, type RedisOptions } from 'ioredis';
import {
  type AcquireReply,
  checkHistory,
  type CurrentLeadership,
  type ElectionListener,
  type Expectations,
  getLeaderToken,
  type HistoryEvent,
  historyRecorder,
  InjectLeader,
  InMemoryLeaseStore,
  LeaderElectionModule,
  type LeaderElectionOptions,
  LeaderGuard,
  LeaderService,
  type LeaderInfo,
  type LeadershipChange,
  LeadershipLostError,
  type LeaseStore,
  type LossReason,
  NotLeaderException,
  OnlyLeader,
  recordBelief,
  RedisLeaseStore,
  sharedNowMs,
  type Violation,
} from 'nestjs-leader-election';
import type { Observable } from 'rxjs';

declare const cluster: Cluster;
const connection: RedisOptions = { host: 'localhost', port: 6379 };

export const options: LeaderElectionOptions = {
  name: 'billing',
  redis: process.env['REDIS_URL'],
  keyPrefix: 'app',
  nodeId: 'node-1',
  metadata: { url: 'http://localhost' },
  leaseTtlMs: 10_000,
  renewIntervalMs: 3000,
  safetyMarginMs: 2000,
  commandTimeoutMs: 1000,
  drainTimeoutMs: 5000,
  holdOff: 'auto',
  minReplicaAcks: 0,
  campaign: true,
};

const listener: ElectionListener = {
  ended({ election, epoch, reason }) {
    const why: LossReason = reason;
    console.log(election, epoch, why);
  },
};

export const modules = [
  LeaderElectionModule.forRoot(options),
  LeaderElectionModule.forRoot({ redis: connection, events: listener }),
  LeaderElectionModule.forRoot({ redis: new Redis({ lazyConnect: true }) }),
  LeaderElectionModule.forRoot({ redis: cluster }),
  LeaderElectionModule.forRoot({ store: new InMemoryLeaseStore() }),
  LeaderElectionModule.forRoot({ store: new RedisLeaseStore({ redis: 'redis://localhost' }) }),
  LeaderElectionModule.forRootAsync({ useFactory: () => options }),
  LeaderElectionModule.forRootAsync({
    name: 'billing',
    inject: [LeaderService],
    useFactory: async (url: string) => ({ redis: url }),
  }),
  LeaderElectionModule.forFeature('reports'),
  LeaderElectionModule.forFeature({ name: 'mails', leaseTtlMs: 5000 }),
];

export class Reports {
  constructor(
    private readonly leader: LeaderService,
    @InjectLeader('reports') private readonly reports: LeaderService,
  ) {}

  @OnlyLeader()
  byDefault(): void {}

  @OnlyLeader('reports')
  named(): CurrentLeadership {
    return this.reports.current();
  }

  @OnlyLeader({ name: 'reports', otherwise: 'skip' })
  async skipped(): Promise<number | null> {
    return this.reports.epoch;
  }

  changes(): Observable<LeadershipChange> {
    return this.leader.leadership$;
  }

  async ask(): Promise<boolean> {
    const { signal } = await this.leader.whenLeader({ signal: AbortSignal.timeout(10) });
    const leader: LeaderInfo | null = this.leader.leader;
    const count: number | undefined = this.leader.runIfLeader(({ epoch }) => epoch + 1);
    await this.leader.stepDown({ cooldownMs: 0 });
    return signal.reason instanceof LeadershipLostError || leader === null || count === undefined;
  }
}

@OnlyLeader('reports')
export class WholeClass {}

export class HandWritten implements Pick<LeaseStore, 'acquire'> {
  async acquire(): Promise<AcquireReply> {
    return { granted: true, epoch: 1 };
  }
}

export function watched(leader: LeaderService, expected: Expectations): readonly Violation[] {
  const history: HistoryEvent[] = [{ kind: 'gone', node: 'a', at: sharedNowMs() }];
  const record = (event: HistoryEvent): void => void history.push(event);
  LeaderElectionModule.forRoot({ ...options, events: historyRecorder('a', record) });
  recordBelief('a', leader, record)();
  return checkHistory(history, expected);
}

export const rest = [getLeaderToken('reports'), LeaderGuard, NotLeaderException];
