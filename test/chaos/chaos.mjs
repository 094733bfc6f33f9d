/**
 * `npm run test:chaos`: compiles the library and the runner into a cache folder and runs it with plain node. What it
 * starts goes with it, however it ends: processes by guards of their own, temporary files by the guard here.
 */
import { spawn } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { compile } from '../../sample/demo/compile.mjs';

process.env.CHAOS_KEEP ??= tmpdir();
const files = await mkdtemp(join(tmpdir(), 'leader-election-chaos-run-'));
process.env.TMPDIR = files;
// In a session of its own, so that Ctrl-C does not end it first. Servers write until they are gone.
const guard = spawn('sh', ['-c', 'read _; sleep 2; rm -rf "$1"', 'guard', files], {
  stdio: ['pipe', 'ignore', 'ignore'],
  detached: true,
});
guard.unref();
guard.stdin.unref();

const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => interrupted.abort());
}

const folder = await compile(['lib', 'test/chaos', 'test/support']);
const { runChaos } = await import(pathToFileURL(join(folder, 'test/chaos/chaos.js')).href);
process.exitCode = await runChaos(process.argv.slice(2), interrupted.signal);
