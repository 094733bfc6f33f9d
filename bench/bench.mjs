/**
 * `npm run bench`: compiles the library and the benchmarks into a cache folder and runs them with plain node. The peers
 * are installed into bench/node_modules first, since nothing else needs them.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { compile } from '../sample/demo/compile.mjs';

const here = dirname(fileURLToPath(import.meta.url));
if (!existsSync(join(here, 'node_modules/.package-lock.json'))) {
  const { status } = spawnSync('npm', ['ci', '--prefix', here, '--no-audit', '--no-fund'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) process.exit(status ?? 1);
}

// From the compiled files there is no way to bench/node_modules but this.
process.env.BENCH_FOLDER = here;
const folder = await compile(['lib', 'bench', 'test/support']);
const { main } = await import(pathToFileURL(join(folder, 'bench/main.js')).href);
process.exitCode = await main(process.argv.slice(2));
