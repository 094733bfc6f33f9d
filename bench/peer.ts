/** Loads a peer from bench/node_modules, since the compiled benchmarks lie elsewhere. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const { BENCH_FOLDER = 'bench' } = process.env;
const requirePeer = createRequire(join(BENCH_FOLDER, 'package.json'));

/** What `require(name)` gives; the caller says which part of it is used. */
export function peer<T>(name: string): T {
  return requirePeer(name) as T;
}

/** The same for a package that can only be imported. */
export async function importPeer<T>(name: string): Promise<T> {
  return (await import(pathToFileURL(requirePeer.resolve(name)).href)) as T;
}
