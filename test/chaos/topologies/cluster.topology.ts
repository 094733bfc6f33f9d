/** A Cluster of three primaries, each with a replica. The election lives in one slot. */
import { sharedNowMs } from '../../../lib/index.js';
import { awaitUntil } from '../../support/await-until.js';
import { sleep } from '../../support/process/cluster.js';
import { clusterCall } from '../../support/redis/cluster-view.js';
import { type ClusterNode, RedisCluster } from '../../support/redis/redis-cluster.js';
import type { RedisServer } from '../../support/redis/redis-server.js';
import type { Failover, FailoverTimes } from '../failover.js';
import { between, type FaultKinds, NotNow, oneOf, type Play } from '../faults/fault.interface.js';
import { LEASE_KEY, serverFaults } from '../faults/server.faults.js';
import { openDetours } from './detours.js';
import type { Route, Topology } from './topology.interface.js';

const PRIMARIES = 3;
const WHOLE_WITHIN_MS = 45_000;
/** A fault waits no longer for those before it to be over. */
const SOON_MS = 6000;
const POLL_MS = 10;

export class ClusterTopology implements Topology {
  readonly recoveryMs = 6000;
  readonly faults: FaultKinds;
  readonly failover?: Failover;
  private killed: RedisServer | null = null;

  private constructor(
    private readonly cluster: RedisCluster,
    acks: number,
  ) {
    // Where its replica must have each grant, nobody leads until the old primary is back.
    if (acks === 0) {
      this.failover = { promote: () => this.killOwner(), recover: () => this.relaunch() };
    }
    const target = () => cluster.ownerOf(LEASE_KEY).then(({ server }) => server);
    this.faults = {
      ...serverFaults({ target, losing: () => undefined }),
      'primary killed': this.primaryKilled,
      'replica away': this.replicaAway,
      failover: this.failOver,
      'slot moved': this.slotMoved,
    };
  }

  static async start(acks: number): Promise<ClusterTopology> {
    return new ClusterTopology(await RedisCluster.start(), acks);
  }

  async openRoute(): Promise<Route> {
    const servers = this.cluster.nodes.map(({ server }) => server);
    const { networks, detours, addressOf } = await openDetours(servers);
    return { redis: { kind: 'cluster', nodes: servers.map(addressOf), detours }, networks };
  }

  untilWhole(): Promise<void> {
    return this.whole(WHOLE_WITHIN_MS);
  }

  private async whole(timeoutMs: number): Promise<void> {
    await awaitUntil(
      async () => {
        await sleep(POLL_MS);
        const states = await Promise.all(this.cluster.nodes.map((node) => stateOf(node)));
        const replicas = states.filter((state) => state === 'replica').length;
        return replicas === PRIMARIES && !states.includes('failed');
      },
      { what: 'the Cluster is whole', timeoutMs },
    );
    await this.cluster.replicaOf(await this.cluster.ownerOf(LEASE_KEY));
  }

  async stop(): Promise<void> {
    await this.cluster.stop();
  }

  private readonly failOver: Play = async () => {
    await this.soonWhole();
    await this.cluster.failover(LEASE_KEY);
  };

  private readonly primaryKilled: Play = async ({ ttlMs }, { amount }) => {
    await this.killOwner();
    await sleep(between(0, ttlMs, amount));
    await this.relaunch();
  };

  private readonly replicaAway: Play = async ({ ttlMs }, { amount }) => {
    const { server } = await this.cluster.replicaOf(await this.cluster.ownerOf(LEASE_KEY));
    await server.kill();
    await sleep(between(0, 2 * ttlMs, amount));
    await server.launch();
  };

  /** Slowly: for a while the lease and its record are in different places. */
  private readonly slotMoved: Play = async ({ ttlMs }, { amount, whom }) => {
    await this.soonWhole();
    const move = await this.cluster.beginMove(LEASE_KEY);
    try {
      const first = oneOf([[LEASE_KEY], [LEASE_KEY.replace(/lease$/, 'record')], []], whom);
      if (first.length > 0) await move.moveKeys(...first);
      await sleep(between(0, ttlMs, amount));
      await move.moveKeys();
      await move.finish();
      await this.cluster.untilServedBy(LEASE_KEY, move.to);
    } catch (error) {
      await Promise.allSettled(
        this.cluster.nodes.map(({ server }) => clusterCall(server, 'SETSLOT', move.slot, 'STABLE')),
      );
      throw error;
    }
  };

  /** Nodes serve nothing for two seconds after their start, and for a while after a failover. */
  private async soonWhole(): Promise<void> {
    await this.whole(SOON_MS).catch(() => {
      throw new NotNow('The Cluster is not whole.');
    });
  }

  private async killOwner(): Promise<FailoverTimes> {
    const owner = await this.cluster.ownerOf(LEASE_KEY);
    const replica = await this.cluster.replicaOf(owner);
    const killedAt = sharedNowMs();
    this.killed = owner.server;
    await owner.server.kill();
    await awaitUntil(
      async () => {
        await sleep(POLL_MS);
        return (await replica.server.info('replication', 'role')) === 'master';
      },
      { what: 'the replica is promoted', timeoutMs: WHOLE_WITHIN_MS },
    );
    return { killedAt, promotedAt: sharedNowMs() };
  }

  private async relaunch(): Promise<void> {
    await this.killed?.launch();
    this.killed = null;
  }
}

async function stateOf({ server }: ClusterNode): Promise<'primary' | 'replica' | 'failed'> {
  const isUp = /cluster_state:ok\r/.test(await clusterCall(server, 'INFO'));
  if (!isUp) return 'failed';
  const role = await server.info('replication', 'role');
  if (role === 'master') return 'primary';
  return (await server.info('replication', 'master_link_status')) === 'up' ? 'replica' : 'failed';
}
