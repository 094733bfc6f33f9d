/** Which topologies there are. */
import { OneServer } from './one-server.topology.js';
import type { Topology } from './topology.interface.js';

export interface TopologyKind {
  /** How many replicas must have each grant and renewal, where nothing else is asked for. */
  readonly acks: number;
  start(acks: number): Promise<Topology>;
}

export const TOPOLOGIES = {
  single: { acks: 0, start: () => OneServer.start() },
} as const satisfies Record<string, TopologyKind>;

export type TopologyName = keyof typeof TOPOLOGIES;
