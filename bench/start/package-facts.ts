/** What a package weighs, and what it brings with it. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

import { ROOT } from '../root.js';

export interface PackageFacts {
  readonly packedBytes: number;
  readonly unpackedBytes: number;
  /** Packages that are installed with it, counted with theirs; without peers, which an application has anyway. */
  readonly dependencies: number;
}

const run = promisify(execFile);

/** Of the built packages in these folders, which may be installed ones. */
export async function packageFacts(folders: readonly string[]): Promise<readonly PackageFacts[]> {
  if (folders.length === 0) return [];
  const args = ['pack', ...folders, '--dry-run', '--json', '--ignore-scripts'];
  const { stdout } = await run('npm', args, { cwd: ROOT });
  const packed = JSON.parse(stdout) as { size: number; unpackedSize: number }[];
  return packed.map(({ size, unpackedSize }, index) => {
    const dependencies = new Set<string>();
    collect(folders[index] ?? '', dependencies);
    return { packedBytes: size, unpackedBytes: unpackedSize, dependencies: dependencies.size };
  });
}

function collect(folder: string, found: Set<string>): void {
  const text = readFileSync(join(folder, 'package.json'), 'utf8');
  const { dependencies = {} } = JSON.parse(text) as { dependencies?: Record<string, string> };
  for (const name of Object.keys(dependencies)) {
    const its = installed(name, folder);
    if (found.has(its)) continue;
    found.add(its);
    collect(its, found);
  }
}

/** Where node would find it from there. */
function installed(name: string, from: string): string {
  for (let folder = from; folder !== dirname(folder); folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name);
    if (existsSync(candidate)) return candidate;
  }
  throw new Error(`${name} is not installed, which ${from} depends on.`);
}
