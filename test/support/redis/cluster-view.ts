/** What one node of a Cluster says of the whole. */
import { answerInTime } from './answer-in-time.js';
import type { RedisServer } from './redis-server.js';

export interface SlotRange {
  readonly slots: readonly [first: number, last: number];
  /** Ports. */
  readonly primary: number;
  readonly replicas: readonly number[];
}

export async function clusterCall(
  server: RedisServer,
  ...words: readonly (string | number)[]
): Promise<string> {
  return String(await server.admin.call('CLUSTER', ...words));
}

/** Who serves which slots, or null where this node does not answer. */
export async function viewOf(server: RedisServer): Promise<readonly SlotRange[] | null> {
  return answerInTime(
    server.admin.call('CLUSTER', 'SLOTS').then((reply) => {
      // first slot, last slot, then each node as address, port, id …; the primary comes first
      const ranges = reply as [number, number, ...[string, number][]][];
      return ranges.map(([first, last, ...nodes]) => {
        const [primary = 0, ...replicas] = nodes.map(([, port]) => port);
        return { slots: [first, last], primary, replicas } as const;
      });
    }),
  );
}

export function servesSlot(range: SlotRange, slot: number): boolean {
  return slot >= range.slots[0] && slot <= range.slots[1];
}
