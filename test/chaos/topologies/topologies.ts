/** Which topologies there are. */
import { ClusterTopology } from './cluster.topology.js';
import { OneServer } from './one-server.topology.js';
import { QuorumTopology } from './quorum.topology.js';
import { SentinelTopology } from './sentinel.topology.js';
import { TlsTopology } from './tls-server.topology.js';
import type { Topology } from './topology.interface.js';

export interface Promised {
  readonly acks: number;
  /** Also faults that are survived only with the acknowledgements of all replicas. */
  readonly allFaults: boolean;
}

export interface TopologyKind {
  /** How many replicas must have each grant and renewal, where nothing else is asked for. */
  readonly acks: number;
  start(promised: Promised): Promise<Topology>;
}

export const TOPOLOGIES = {
  single: { acks: 0, start: () => OneServer.start() },
  tls: { acks: 0, start: () => TlsTopology.start() },
  quorum: { acks: 0, start: () => QuorumTopology.start() },
  sentinel: { acks: 0, start: (promised) => SentinelTopology.start(promised) },
  'sentinel+acks': { acks: 2, start: (promised) => SentinelTopology.start(promised) },
  cluster: { acks: 0, start: ({ acks }) => ClusterTopology.start(acks) },
  'cluster+acks': { acks: 1, start: ({ acks }) => ClusterTopology.start(acks) },
} as const satisfies Record<string, TopologyKind>;

export type TopologyName = keyof typeof TOPOLOGIES;
