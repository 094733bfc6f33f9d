/** Real workers on real servers under random faults, for some seconds on each topology. */
import { describe, it } from '@jest/globals';

import { print } from '../support/process/report.js';
import { playTopology, type Result } from './play-topology.js';
import type { TopologyName } from './topologies/topologies.js';

/** A storm of half that long, then a calm. */
const FOR_MS = 12_000;
const TTL_MS = 1500;
const WORKERS = 3;
/** Other tests run beside it. */
const SLACK_MS = 4000;
const FIXED_SEED = 20_261_129;
const RANDOM_SEED = Date.now() % 1e6;
const TIMEOUT_MS = 240_000;

/** Two at a time, since they wait more than they work. */
const FIRST = ['single', 'sentinel', 'cluster+acks', 'tls'] as const;
const SECOND = ['quorum', 'cluster', 'sentinel+acks'] as const;
const CASES = [
  { names: FIRST.join(', '), on: FIRST, again: 'quorum' },
  { names: SECOND.join(', '), on: SECOND, again: 'single' },
] as const;

describe('real processes under random faults', () => {
  it.concurrent.each(CASES)(
    'keep every promise on $names, and on $again with a random seed',
    async ({ on, again }) => {
      for (const name of on) await play(name, FIXED_SEED);
      await play(again, RANDOM_SEED);
    },
    TIMEOUT_MS,
  );
});

async function play(name: TopologyName, seed: number): Promise<void> {
  const result = await playTopology({
    name,
    seed,
    forMs: FOR_MS,
    ttlMs: TTL_MS,
    workers: WORKERS,
    slackMs: SLACK_MS,
  });
  const { faults, leaderships, findings } = result;
  print(`${name}, seed ${seed}: ${faults.length} faults, ${leaderships} leaderships`);
  if (findings.length > 0) throw new Error(messageOf(result));
}

function messageOf({ name, seed, findings, transcript, evidence }: Result): string {
  return [
    ...findings.map(({ rule, message }) => `${rule}: ${message}`),
    transcript,
    `All of it is in ${evidence}. Again, as far as chance allows:`,
    `npm run test:chaos -- --on ${name} --seed ${seed} --ttl ${TTL_MS} --workers ${WORKERS}`,
  ].join('\n');
}
