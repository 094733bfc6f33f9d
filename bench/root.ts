/** Where this repository lies: the compiled benchmarks do not lie in it. */
import { resolve } from 'node:path';

const { BENCH_FOLDER = 'bench' } = process.env;

export const ROOT = resolve(BENCH_FOLDER, '..');
