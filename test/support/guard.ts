/** Sees to it that a process does not outlive this one. */
import { spawn, type ChildProcess } from 'node:child_process';

/**
 * Kills the process when this one is gone, however it ended: an 'exit' handler would not run when a jest worker is
 * killed. The guard holds a pipe to this process and waits until it closes, in a session of its own, so that Ctrl-C
 * does not take it first. Kill it when the process has ended.
 */
export function guardOf({ pid }: ChildProcess): ChildProcess {
  return spawn('sh', ['-c', 'read _; kill -9 "$1"', 'guard', String(pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
}
