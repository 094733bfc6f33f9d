/** The package as it is published. */
import { execFile } from 'node:child_process';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

import { ROOT } from '../root.js';

/** Written last by `npm run build`. */
const BUILT = join(ROOT, 'dist/cjs/package.json');
const SOURCES = join(ROOT, 'lib');

/** Builds it where its sources are newer. Returns the URL where it begins. */
export async function builtPackage(): Promise<string> {
  const builtAt = await changedAt(BUILT).catch(() => 0);
  if ((await newestSource()) > builtAt) {
    await promisify(execFile)('npm', ['run', 'build'], { cwd: ROOT });
  }
  return pathToFileURL(join(ROOT, 'dist/esm/index.js')).href;
}

/** Folders count, too: they change when a file is removed. */
async function newestSource(): Promise<number> {
  const names = await readdir(SOURCES, { recursive: true });
  const times = await Promise.all(names.map((name) => changedAt(join(SOURCES, name))));
  return Math.max(await changedAt(SOURCES), ...times);
}

async function changedAt(path: string): Promise<number> {
  return (await stat(path)).mtimeMs;
}
