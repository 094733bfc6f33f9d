/** Starts the servers of one topology, plays a run on them, and takes everything away. */
import type { HoldOff } from '../../lib/index.js';
import type { Gap } from './leaderless.js';
import { keepEvidence, transcriptOf } from './evidence.js';
import type { PlayedFault } from './faults/fault.interface.js';
import type { Figures } from './figures.js';
import type { Finding } from './findings.js';
import { judgeMemory } from './memory.js';
import { Run } from './run.js';
import { TOPOLOGIES, type TopologyKind, type TopologyName } from './topologies/topologies.js';

export interface TopologyRequest {
  readonly name: TopologyName;
  readonly forMs: number;
  readonly seed: number;
  readonly acks?: number | undefined;
  readonly ttlMs?: number | undefined;
  readonly workers?: number | undefined;
  readonly slackMs?: number | undefined;
  readonly holdOff?: HoldOff | undefined;
  readonly allFaults?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly progress?: (line: string) => void;
}

export interface Result {
  readonly name: TopologyName;
  readonly seed: number;
  readonly ttlMs: number;
  readonly workers: number;
  readonly acks: number;
  readonly forMs: number;
  readonly figures: Figures;
  readonly faults: readonly PlayedFault[];
  readonly gaps: readonly Gap[];
  readonly leaderships: number;
  readonly findings: readonly Finding[];
  /** Where more about the findings is kept. */
  readonly evidence: string | null;
  readonly transcript: string;
}

export async function playTopology(request: TopologyRequest): Promise<Result> {
  const { name, seed, forMs, signal, progress } = request;
  const kind: TopologyKind = TOPOLOGIES[name];
  const acks = request.acks ?? kind.acks;
  // Small whole numbers, so that a seed gives the same on each machine.
  const ttlMs = request.ttlMs ?? 1000 + 250 * (seed % 5);
  const workers = request.workers ?? 3 + (seed % 3);
  const topology = await kind.start({ acks, allFaults: request.allFaults ?? false });
  const options = {
    seed,
    forMs,
    ttlMs,
    workers,
    acks,
    slackMs: request.slackMs ?? 0,
    holdOff: request.holdOff ?? 'always',
  };
  const run = new Run(topology, {
    ...options,
    ...(signal === undefined ? {} : { signal }),
    progress: (line) => progress?.(`${name}: ${line}`),
  });
  try {
    await run.play();
  } finally {
    await topology.stop();
  }
  judgeMemory(run.figures, run.findings);
  const findings = run.findings.all;
  const evidence = findings.length === 0 ? null : await keepEvidence(run, name);
  return {
    ...options,
    ...run.measured,
    name,
    findings,
    evidence,
    transcript: findings.length === 0 ? '' : transcriptOf(run),
  };
}
