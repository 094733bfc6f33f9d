/**
 * Real workers on real servers under random faults: `npm run test:chaos -- --minutes 60 --on all`.
 *
 * Each worker is a Nest application in a process of its own, behind a network of its own, that calls a leader-only
 * method all the time. Storms of faults alternate with calms, in which somebody must lead soon and hand over quickly.
 * `lib/testing` judges the history all the time, and once more at the end.
 *
 *     --minutes M     divided among the topologies (5)
 *     --seed S        repeats the same faults in the same order, if not their outcome
 *     --on NAME       a topology, or several with commas; all when left out
 *     --acks K        `minReplicaAcks`, in place of what the topology has
 *     --ttl MS        `leaseTtlMs`, in place of what follows from the seed
 *     --workers N     in place of what follows from the seed
 *     --hold-off H    always, auto or never; always when left out, with which everything is promised
 *     --all-faults    also what is promised with acks only, to see that it is found: a negative control
 *     --json FILE     where to write all results
 *
 * The first finding ends a topology: what went on around it is printed and kept, and the program ends with 1.
 */
import { writeFile } from 'node:fs/promises';

import { parseCommandLine } from './command-line.js';
import { playTopology, type Result } from './play-topology.js';
import { reportOf } from './report.js';

const MS_PER_MINUTE = 60_000;

export async function runChaos(args: readonly string[], signal: AbortSignal): Promise<number> {
  const { minutes, seed, on, json, ...asked } = parseCommandLine(args);
  const forMs = (minutes * MS_PER_MINUTE) / on.length;
  const results: Result[] = [];
  say(`seed ${seed}, ${on.join(', ')}: ${(forMs / MS_PER_MINUTE).toFixed(1)} minutes each`);
  for (const name of on) {
    if (signal.aborted) break;
    const result = await playTopology({ ...asked, name, forMs, seed, signal, progress: say });
    results.push(result);
    tell(result);
  }
  say(`\n${reportOf(results)}`);
  if (json !== undefined) await writeFile(json, JSON.stringify(results, null, 1));
  return results.some(({ findings }) => findings.length > 0) ? 1 : 0;
}

function tell({ name, findings, transcript, evidence, faults }: Result): void {
  say(`${name}: ${faults.length} faults, ${findings.length} findings`);
  if (evidence === null) return;
  say(transcript);
  for (const { rule, message } of findings) say(`FOUND ${rule}: ${message}`);
  say(`Kept in ${evidence}`);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
