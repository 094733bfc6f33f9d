/** What a person reads after the runs. */
import type { Failure } from './batch.js';
import { runPlan } from './run-plan.js';

/** Runs, and what became of them, for one family under one `holdOff`. */
export interface Count {
  runs: number;
  grants: number;
  readonly violations: Map<string, number>;
}

export function summaryOf(counts: ReadonlyMap<string, Count>, seconds: number): string {
  const lines: string[] = [];
  let runs = 0;
  for (const [name, count] of counts) {
    runs += count.runs;
    const broken = [...count.violations].map(([rule, times]) => `${times} x ${rule}`);
    const each = (count.grants / Math.max(1, count.runs)).toFixed(1);
    lines.push(
      `${name.padEnd(22)} ${String(count.runs).padStart(9)} runs, ${each.padStart(5)} leaderships a run, ` +
        `violations: ${broken.length === 0 ? 'none' : broken.join(', ')}`,
    );
  }
  const rate = Math.round(runs / seconds);
  lines.push(`${runs} runs in ${seconds.toFixed(1)} s, ${rate} runs/s`);
  return lines.join('\n');
}

/** The reduced run from its first event on, what it breaks, and how to see it again. */
export async function tellFailure({ batch, path, plan, violations }: Failure): Promise<string> {
  const lines: string[] = [];
  await runPlan(plan, { lines });
  const { faults, ...setting } = plan;
  return [
    '',
    JSON.stringify(setting),
    ...faults.map((fault) => `  ${JSON.stringify(fault)}`),
    '',
    ...lines,
    '',
    ...violations.map(({ rule, message }) => `VIOLATION ${rule}: ${message}`),
    `Again: npm run test:simulation -- --family ${batch.family} --hold-off ${batch.holdOff} --seed ${batch.seed} --path ${path}`,
    '',
  ].join('\n');
}
