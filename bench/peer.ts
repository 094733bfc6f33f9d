/** Loads a peer from bench/node_modules, since the compiled benchmarks lie elsewhere. */
import { createRequire } from 'node:module';
import { join } from 'node:path';

const { BENCH_FOLDER = 'bench' } = process.env;
const requirePeer = createRequire(join(BENCH_FOLDER, 'package.json'));

/** What `require(name)` gives; the caller says which part of it is used. */
export function peer<T>(name: string): T {
  return requirePeer(name) as T;
}
