/** Starts one worker, on a way of its own. */
import type { HoldOff } from '../../lib/index.js';
import { WorkerProcess } from '../support/process/worker-process.js';
import type { TcpProxy } from '../support/redis/tcp-proxy.js';
import { ELECTION } from './faults/server.faults.js';
import type { Topology } from './topologies/topology.interface.js';

/** On a machine that does nothing else it takes less than a second; with much to do, twenty were not enough. */
const BOOT_WITHIN_MS = 90_000;

export interface WorkerSetting {
  readonly leaseTtlMs: number;
  readonly minReplicaAcks: number;
  readonly holdOff: HoldOff;
}

export interface Recruit {
  readonly worker: WorkerProcess;
  readonly networks: readonly TcpProxy[];
}

/** Rejects where the worker does not become ready; nothing of it is left then. */
export async function recruit(
  node: string,
  topology: Topology,
  setting: WorkerSetting,
): Promise<Recruit> {
  const { redis, networks } = await topology.openRoute();
  try {
    const worker = await WorkerProcess.start(
      {
        ...setting,
        node,
        redis,
        election: ELECTION,
        kind: 'context',
        logLevels: ['log', 'warn', 'error', 'fatal'],
      },
      BOOT_WITHIN_MS,
    );
    return { worker, networks };
  } catch (error) {
    await Promise.all(networks.map((network) => network.close()));
    throw error;
  }
}
