/** Temporary files go with this process, however it ends. */
import { spawn } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** All that is asked of `os.tmpdir()` from now on lies in a folder of its own, which is removed at the end. */
export async function keepTemporaryFilesTogether(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'leader-election-bench-'));
  process.env.TMPDIR = folder;
  // In a session of its own, so that Ctrl-C does not end it first. Servers write until they are gone.
  const guard = spawn('sh', ['-c', 'read _; sleep 2; rm -rf "$1"', 'guard', folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  guard.unref();
  // Node makes a socket of the pipe.
  (guard.stdin as unknown as Socket).unref();
}
