/**
 * `npm run test:simulation`: compiles the library and the simulation into a cache folder and runs it with plain node.
 * `--root DIR` takes both from another copy of the repository, which is how a changed library is tried.
 */
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const args = process.argv.slice(2);
const at = args.indexOf('--root');
const root = resolve(at < 0 ? join(import.meta.dirname, '../..') : args.splice(at, 2)[1]);
const load = (...path) => import(pathToFileURL(join(...path)).href);

const { compile } = await load(root, 'sample/demo/compile.mjs');
const folder = await compile(['lib', 'test/simulation', 'test/support/election']);
const { simulate } = await load(folder, 'test/simulation/simulate.js');
process.exitCode = await simulate(args);
