import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { ROOT } from './repository.js';

interface PackReport {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

/** Packs what `npm run build` left in dist, and returns the tarball's path. */
export async function packPackage(destination: string): Promise<string> {
  const { filename } = await pack('--pack-destination', destination);
  return join(destination, filename);
}

/** The paths in the tarball. */
export async function packedFiles(): Promise<string[]> {
  const { files } = await pack('--dry-run');
  return files.map(({ path }) => path);
}

async function pack(...flags: string[]): Promise<PackReport> {
  const args = ['pack', '--json', '--ignore-scripts', ...flags];
  const { stdout } = await promisify(execFile)('npm', args, { cwd: ROOT });
  const reports: unknown = JSON.parse(stdout);
  // An array, or an object by package name, as the version of npm has it.
  const [report] = Object.values(reports as Record<string, PackReport>);
  if (report === undefined) throw new Error(`npm pack said nothing of use: ${stdout}`);
  return report;
}
