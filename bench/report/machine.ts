/** What a run is measured on. */
import { execFileSync } from 'node:child_process';
import { cpus } from 'node:os';

import { ROOT } from '../root.js';

export interface Machine {
  /** With '+' where files had been changed since. */
  readonly commit: string;
  readonly node: string;
  readonly redis: string;
  readonly cpu: string;
  readonly cores: number;
}

export function machine(): Machine {
  const processors = cpus();
  return {
    commit: commit(),
    node: process.version,
    redis: /v=(\S+)/.exec(outputOf('redis-server', '--version'))?.[1] ?? 'unknown',
    cpu: processors[0]?.model ?? 'unknown',
    cores: processors.length,
  };
}

function commit(): string {
  const changed = outputOf('git', 'status', '--porcelain', '--', 'lib', 'bench') !== '';
  return `${outputOf('git', 'rev-parse', '--short', 'HEAD')}${changed ? '+' : ''}`;
}

function outputOf(program: string, ...args: readonly string[]): string {
  try {
    const stdio = ['ignore', 'pipe', 'ignore'] as const;
    return execFileSync(program, args, { cwd: ROOT, encoding: 'utf8', stdio: [...stdio] }).trim();
  } catch {
    return 'unknown';
  }
}
