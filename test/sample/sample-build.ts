import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

export const ROOT = resolve(import.meta.dirname, '../..');

const run = promisify(execFile);

export interface SampleBuild {
  /** The compiled `main.ts`. */
  readonly entry: string;
  remove(): Promise<void>;
}

/**
 * Compiles a sample, and the library beside it, into a temporary folder. Node resolves the bare import of the package
 * there as it does in a project that installed it: by a `package.json` with that name and its `exports`. Types are
 * checked by `npm run typecheck`, not here.
 */
export async function buildSample(name: string): Promise<SampleBuild> {
  const directory = await mkdtemp(join(tmpdir(), 'leader-election-sample-'));
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const project = join(ROOT, 'sample', name, 'tsconfig.json');
  await run(process.execPath, [tsc, '-p', project, '--outDir', directory, '--noCheck']);
  const manifest = {
    name: 'nestjs-leader-election',
    type: 'module',
    exports: './lib/index.js',
  };
  await writeFile(join(directory, 'package.json'), JSON.stringify(manifest));
  await symlink(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
  return {
    entry: join(directory, 'sample', name, 'src/main.js'),
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}
