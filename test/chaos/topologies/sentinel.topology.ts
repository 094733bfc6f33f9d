/**
 * A primary with two replicas behind three Sentinels.
 *
 * A primary that goes on taking writes while a replica is promoted can keep a leader that the other side knows nothing
 * of; only acknowledgements of all replicas rule that out. It happens whenever the primary is not dead: when it was
 * stopped, restarted slowly, and on each `SENTINEL FAILOVER`, since the old primary is told only later. Those faults are
 * for runs with acks.
 */
import { sharedNowMs } from '../../../lib/index.js';
import { awaitUntil } from '../../support/await-until.js';
import { sleep } from '../../support/process/cluster.js';
import type { RedisServer } from '../../support/redis/redis-server.js';
import { SentinelSet } from '../../support/redis/sentinel-set.js';
import type { Failover, FailoverTimes } from '../failover.js';
import { between, type FaultKinds, NotNow, oneOf, type Play } from '../faults/fault.interface.js';
import { pickKinds } from '../faults/pick-kinds.js';
import { serverFaults } from '../faults/server.faults.js';
import { openDetours } from './detours.js';
import type { Route, Topology } from './topology.interface.js';

const REPLICAS = 2;
const WHOLE_WITHIN_MS = 45_000;
/** A fault waits no longer for those before it to be over. */
const SOON_MS = 6000;
const POLL_MS = 10;

interface SentinelOptions {
  readonly acks: number;
  readonly allFaults: boolean;
}

export class SentinelTopology implements Topology {
  readonly recoveryMs = 6000;
  readonly faults: FaultKinds;
  readonly failover?: Failover;
  private killed: RedisServer | null = null;

  private constructor(
    private readonly set: SentinelSet,
    acks: number,
    allFaults: boolean,
  ) {
    // Where all replicas must have each grant, nobody leads until the old primary is back.
    if (acks < REPLICAS) {
      this.failover = { promote: () => this.killPrimary(), recover: () => this.relaunch() };
    }
    const all = serverFaults({ target: () => set.primary(), losing: () => undefined });
    this.faults = {
      ...(acks >= REPLICAS || allFaults
        ? { ...all, failover: this.failOver }
        : pickKinds(
            all,
            'client kill',
            'script flush',
            'rights revoked',
            'memory full',
            'evicted',
            'flushall',
            'lease deleted',
            'record deleted',
          )),
      'primary killed': this.primaryKilled,
      'replica away': this.replicaAway,
      'sentinel stopped': this.sentinelStopped,
    };
  }

  static async start({ acks, allFaults }: SentinelOptions): Promise<SentinelTopology> {
    return new SentinelTopology(await SentinelSet.start(), acks, allFaults);
  }

  async openRoute(): Promise<Route> {
    const { servers, sentinels, client } = this.set;
    const { networks, detours, addressOf } = await openDetours([...servers, ...sentinels]);
    const { name } = client;
    const ways = sentinels.map(addressOf);
    return { redis: { kind: 'sentinel', name, sentinels: ways, detours }, networks };
  }

  untilWhole(): Promise<void> {
    return this.whole(WHOLE_WITHIN_MS);
  }

  async stop(): Promise<void> {
    await this.set.stop();
  }

  private readonly failOver: Play = async () => {
    await this.soonWhole();
    await this.set.failover();
  };

  private readonly primaryKilled: Play = async ({ ttlMs }, { amount }) => {
    await this.soonWhole();
    await this.killPrimary();
    await sleep(between(0, ttlMs, amount));
    await this.relaunch();
  };

  private readonly replicaAway: Play = async ({ ttlMs }, { amount, whom }) => {
    const primary = await this.set.primary();
    const others = this.set.servers.filter((server) => server !== primary);
    const replica = oneOf(others, whom);
    await replica.kill();
    await sleep(between(0, 2 * ttlMs, amount));
    await replica.launch();
  };

  private readonly sentinelStopped: Play = async ({ ttlMs }, { amount, whom }) => {
    const sentinel = oneOf(this.set.sentinels, whom);
    sentinel.pause();
    await sleep(between(0.2 * ttlMs, 2 * ttlMs, amount));
    sentinel.resume();
  };

  private async killPrimary(): Promise<FailoverTimes> {
    const primary = await this.set.primary();
    const killedAt = sharedNowMs();
    this.killed = primary;
    await primary.kill();
    const others = this.set.servers.filter((server) => server !== primary);
    await awaitUntil(
      async () => {
        await sleep(POLL_MS);
        const roles = await Promise.all(others.map((each) => each.info('replication', 'role')));
        return roles.includes('master');
      },
      { what: 'a replica is promoted', timeoutMs: WHOLE_WITHIN_MS },
    );
    // Clients find it when the Sentinels say so, and not before.
    await this.set.primaryAfter(primary);
    return { killedAt, promotedAt: sharedNowMs() };
  }

  private async relaunch(): Promise<void> {
    await this.killed?.launch();
    this.killed = null;
  }

  private async soonWhole(): Promise<void> {
    await this.whole(SOON_MS).catch(() => {
      throw new NotNow('The last failover is not over.');
    });
  }

  private async whole(timeoutMs: number): Promise<void> {
    await this.set.complete();
    await awaitUntil(
      async () => {
        await sleep(POLL_MS);
        const primary = await this.set.primary();
        const links = await Promise.all(
          this.set.servers
            .filter((server) => server !== primary)
            .map((server) => server.info('replication', 'master_link_status')),
        );
        return (
          links.every((link) => link === 'up') &&
          (await primary.info('replication', 'connected_slaves')) === String(REPLICAS)
        );
      },
      { what: 'the replicas follow the primary', timeoutMs },
    );
  }
}
