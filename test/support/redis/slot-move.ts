/** One slot on its way from one primary of a Cluster to another. */
import { clusterCall } from './cluster-view.js';
import type { ClusterNode } from './redis-cluster.js';

const MIGRATE_TIMEOUT_MS = 5_000;
const MORE_KEYS_THAN_ANY_TEST_HAS = 1_000;

export class SlotMove {
  private constructor(
    readonly slot: number,
    readonly from: ClusterNode,
    readonly to: ClusterNode,
    private readonly others: readonly ClusterNode[],
  ) {}

  static async begin(
    slot: number,
    from: ClusterNode,
    to: ClusterNode,
    others: readonly ClusterNode[],
  ): Promise<SlotMove> {
    await clusterCall(to.server, 'SETSLOT', slot, 'IMPORTING', from.id);
    await clusterCall(from.server, 'SETSLOT', slot, 'MIGRATING', to.id);
    return new SlotMove(slot, from, to, others);
  }

  /** Moves these keys, or all that the slot has. The old owner sends whoever asks for them on with ASK. */
  async moveKeys(...keys: readonly string[]): Promise<void> {
    const { admin } = this.from.server;
    const { host, port } = this.to.server.address;
    const found = await admin.cluster('GETKEYSINSLOT', this.slot, MORE_KEYS_THAN_ANY_TEST_HAS);
    const moved = keys.length > 0 ? keys : found.map(String);
    if (moved.length === 0) return;
    await admin.call('MIGRATE', host, port, '', 0, MIGRATE_TIMEOUT_MS, 'KEYS', ...moved);
  }

  /** The new owner serves the slot; the old one answers MOVED. */
  async finish(): Promise<void> {
    // The new owner first: the old one would otherwise for a moment deny that anybody serves it.
    for (const { server } of [this.to, this.from]) {
      await clusterCall(server, 'SETSLOT', this.slot, 'NODE', this.to.id);
    }
    // The others hear of it by gossip as well; replicas refuse the command.
    await Promise.all(
      this.others.map(({ server }) =>
        clusterCall(server, 'SETSLOT', this.slot, 'NODE', this.to.id).catch(() => undefined),
      ),
    );
  }
}
