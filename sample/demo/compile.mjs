/**
 * Compiles TypeScript folders of this repository into a cache folder, so that plain node can run them: no build step
 * before, no experimental flags. Used by `npm run demo`, and by the tests that start processes:
 *
 *     node sample/demo/compile.mjs lib test/support     prints the folder that mirrors the repository
 */
import { createHash } from 'node:crypto';
import { mkdir, readFile, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { transform } from '@swc/core';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const CACHE = join(ROOT, 'node_modules/.cache/nestjs-leader-election');
const KEEP_MS = 24 * 3600 * 1000;

const SWC_OPTIONS = {
  swcrc: false,
  configFile: false,
  sourceMaps: 'inline',
  module: { type: 'es6' },
  jsc: {
    parser: { syntax: 'typescript', decorators: true },
    target: 'es2022',
    transform: { legacyDecorator: true, decoratorMetadata: true },
  },
};

/** Returns the folder with the compiled files. The same sources give the same folder, which is made once. */
export async function compile(folders) {
  const sources = await readSources(folders);
  const outDir = join(CACHE, hashOf(sources));
  if (await exists(outDir)) {
    const now = new Date();
    await utimes(outDir, now, now);
    return outDir;
  }
  await removeOld();
  const draft = `${outDir}.${process.pid}`;
  for (const { path, text } of sources) {
    const { code } = await transform(text, { ...SWC_OPTIONS, filename: join(ROOT, path) });
    const target = join(draft, path.replace(/\.ts$/, '.js'));
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, code);
  }
  await writeFile(join(draft, 'package.json'), '{"type":"module"}');
  try {
    await rename(draft, outDir);
  } catch {
    // Another process was faster, with the same result.
    await rm(draft, { recursive: true, force: true });
  }
  return outDir;
}

async function readSources(folders) {
  const paths = [];
  for (const folder of folders) {
    for (const entry of await readdir(join(ROOT, folder), { recursive: true })) {
      if (entry.includes('node_modules')) continue;
      if (entry.endsWith('.ts') && !entry.endsWith('.test.ts')) paths.push(join(folder, entry));
    }
  }
  paths.sort((a, b) => (a < b ? -1 : 1));
  return Promise.all(
    paths.map(async (path) => ({ path, text: await readFile(join(ROOT, path), 'utf8') })),
  );
}

function hashOf(sources) {
  const hash = createHash('sha256').update(JSON.stringify(SWC_OPTIONS));
  for (const { path, text } of sources) hash.update(`${path}\0${text}\0`);
  return hash.digest('hex').slice(0, 16);
}

async function removeOld() {
  for (const name of await readdir(CACHE).catch(() => [])) {
    const path = join(CACHE, name);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > KEEP_MS) await rm(path, { recursive: true, force: true });
  }
}

async function exists(path) {
  return stat(path).then(
    () => true,
    () => false,
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.stdout.write(await compile(process.argv.slice(2)));
}
