/** A Cluster of three primaries, each with a replica. */
import { awaitUntil } from '../await-until.js';
import { clusterCall, servesSlot, viewOf, type SlotRange } from './cluster-view.js';
import { RedisServer, type RedisServerOptions } from './redis-server.js';
import { SlotMove } from './slot-move.js';
import { orStop, startAll, stopAll } from './start-all.js';

const PRIMARIES = 3;
const SLOTS = 16_384;
/** Silent for this long, a node counts as failed, and its replica takes over. */
const NODE_TIMEOUT_MS = '1500';
const AGREE_TIMEOUT_MS = 30_000;

export interface ClusterNode {
  readonly id: string;
  readonly server: RedisServer;
}

export class RedisCluster {
  private constructor(readonly nodes: readonly ClusterNode[]) {}

  static async start({ settings, ...options }: RedisServerOptions = {}): Promise<RedisCluster> {
    const servers = await startAll(2 * PRIMARIES, () =>
      RedisServer.start({
        ...options,
        cluster: true,
        settings: {
          'cluster-node-timeout': NODE_TIMEOUT_MS,
          'cluster-replica-validity-factor': '0',
          // Nodes tell of a replica only once it was sent something, if only this.
          'repl-ping-replica-period': '1',
          ...settings,
        },
      }),
    );
    return orStop(servers, async () => {
      const ids = await Promise.all(servers.map((server) => clusterCall(server, 'MYID')));
      const cluster = new RedisCluster(
        servers.map((server, index) => ({ server, id: ids[index] ?? '' })),
      );
      await cluster.form();
      return cluster;
    });
  }

  /** Where an ioredis `Cluster` begins. */
  get startupNodes(): { host: string; port: number }[] {
    return this.nodes.map(({ server }) => ({ ...server.address }));
  }

  /** The primary that serves this key. */
  async ownerOf(key: string): Promise<ClusterNode> {
    const slot = await this.slotOf(key);
    const range = (await this.slotRanges()).find((each) => servesSlot(each, slot));
    if (range === undefined) throw new Error(`Nobody serves slot ${slot}.`);
    return this.node(range.primary);
  }

  /** The node that copies this primary. */
  async replicaOf(primary: ClusterNode): Promise<ClusterNode> {
    let port: number | undefined;
    await awaitUntil(
      async () => {
        const ranges = await this.slotRanges();
        const own = ranges.filter((each) => each.primary === primary.server.port);
        port = own.flatMap(({ replicas }) => replicas)[0];
        return port !== undefined;
      },
      { what: `${primary.server.url} has a replica`, timeoutMs: AGREE_TIMEOUT_MS },
    );
    return this.node(port ?? 0);
  }

  /** A primary that serves none of these keys. */
  async strangerTo(...keys: readonly string[]): Promise<ClusterNode> {
    const owners = await Promise.all(keys.map((key) => this.ownerOf(key)));
    const ranges = await this.slotRanges();
    const other = ranges.find(({ primary }) =>
      owners.every(({ server }) => server.port !== primary),
    );
    if (other === undefined) throw new Error('Every primary serves one of the keys.');
    return this.node(other.primary);
  }

  /** The replica of the key's owner takes over, orderly. Returns the new owner, once all nodes know it. */
  async failover(key: string): Promise<ClusterNode> {
    const owner = await this.ownerOf(key);
    const replica = await this.replicaOf(owner);
    await clusterCall(replica.server, 'FAILOVER');
    await this.untilServedBy(key, replica);
    return replica;
  }

  /** Moves the slot of this key, and the keys in it, to a primary that does not serve it. */
  async moveSlot(key: string): Promise<ClusterNode> {
    const move = await this.beginMove(key);
    await move.moveKeys();
    await move.finish();
    await this.untilServedBy(key, move.to);
    return move.to;
  }

  /** The same step by step: until it is finished, whoever asks for a key that has moved is sent on with ASK. */
  async beginMove(key: string): Promise<SlotMove> {
    const slot = await this.slotOf(key);
    const [from, to] = [await this.ownerOf(key), await this.strangerTo(key)];
    const others = this.nodes.filter((each) => each !== from && each !== to);
    return SlotMove.begin(slot, from, to, others);
  }

  /** Until this node serves the key, and every node that answers says so. */
  async untilServedBy(key: string, { server }: ClusterNode): Promise<void> {
    const slot = await this.slotOf(key);
    await awaitUntil(
      async () => {
        const views = await Promise.all(this.nodes.map((each) => viewOf(each.server)));
        const answered = views.filter((view) => view !== null);
        const servers = answered.map(
          (view) => view.find((range) => servesSlot(range, slot))?.primary,
        );
        return servers.length > 0 && servers.every((port) => port === server.port);
      },
      { what: `${server.url} serves ${key}`, timeoutMs: AGREE_TIMEOUT_MS },
    );
  }

  async stop(): Promise<void> {
    await stopAll(this.nodes.map(({ server }) => server));
  }

  private async form(): Promise<void> {
    const [first] = this.nodes;
    if (first === undefined) throw new Error('No node was started.');
    const share = Math.ceil(SLOTS / PRIMARIES);
    for (const [index, { server }] of this.nodes.entries()) {
      await clusterCall(server, 'SET-CONFIG-EPOCH', index + 1);
      const { host, port } = first.server.address;
      if (index > 0) await clusterCall(server, 'MEET', host, port, first.server.busPort);
      if (index >= PRIMARIES) continue;
      const last = Math.min(SLOTS, (index + 1) * share) - 1;
      await clusterCall(server, 'ADDSLOTSRANGE', index * share, last);
    }
    await this.untilAll('know one another', /cluster_known_nodes:6\r/);
    for (const [index, { server }] of this.nodes.entries()) {
      const primary = this.nodes[index - PRIMARIES];
      if (primary !== undefined) await clusterCall(server, 'REPLICATE', primary.id);
    }
    await this.untilAll('are up', /cluster_state:ok\r/);
    await awaitUntil(
      async () => {
        const ranges = await this.slotRanges();
        const statuses = await Promise.all(
          this.nodes
            .slice(PRIMARIES)
            .map(({ server }) => server.info('replication', 'master_link_status')),
        );
        return ranges.every((each) => each.replicas.length === 1) && !statuses.includes('down');
      },
      { what: 'each primary has its replica in sync', timeoutMs: AGREE_TIMEOUT_MS },
    );
  }

  private async untilAll(what: string, info: RegExp): Promise<void> {
    await awaitUntil(
      async () => {
        const infos = await Promise.all(
          this.nodes.map(({ server }) => clusterCall(server, 'INFO')),
        );
        return infos.every((each) => info.test(each));
      },
      { what: `all nodes ${what}`, timeoutMs: AGREE_TIMEOUT_MS },
    );
  }

  private node(port: number): ClusterNode {
    const found = this.nodes.find(({ server }) => server.port === port);
    if (found === undefined) throw new Error(`No node listens on port ${port}.`);
    return found;
  }

  private async slotOf(key: string): Promise<number> {
    return Number(
      await Promise.any(this.nodes.map(({ server }) => clusterCall(server, 'KEYSLOT', key))),
    );
  }

  /** As the first node that answers sees it. */
  private slotRanges(): Promise<readonly SlotRange[]> {
    return Promise.any(
      this.nodes.map(async ({ server }) => {
        const view = await viewOf(server);
        if (view === null) throw new Error(`${server.url} does not answer.`);
        return view;
      }),
    );
  }
}
