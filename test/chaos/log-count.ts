/** Counts what workers write. */
import { sharedNowMs } from '../../lib/index.js';
import type { WorkerProcess } from '../support/process/worker-process.js';

const MS_PER_MINUTE = 60_000;
const UNHANDLED = /unhandled|MaxListeners|\(node:\d+\) /i;
/**
 * ioredis' Cluster client (5 and 6) closes its last subscriber again for each node that it then fails to subscribe at,
 * with a listener each time; they go with the socket.
 */
const KNOWN = /MaxListenersExceededWarning.*close listeners added to \[Socket\]/;

interface Seen {
  readonly since: number;
  readChars: number;
  lastLookAt: number;
}

export class LogCount {
  lines = 0;
  /** Of one worker, between two looks. */
  mostPerSecond = 0;
  readonly unhandled: string[] = [];
  private workerMs = 0;
  private readonly seen = new Map<WorkerProcess, Seen>();

  look(worker: WorkerProcess): void {
    const now = sharedNowMs();
    const seen = this.seen.get(worker) ?? { since: now, readChars: 0, lastLookAt: now };
    this.seen.set(worker, seen);
    const written = worker.output.slice(seen.readChars);
    // What a start writes is no rate.
    const isFirst = seen.readChars === 0;
    seen.readChars = worker.output.length;
    const lines = written.split('\n');
    this.lines += lines.length - 1;
    const ms = now - seen.lastLookAt;
    if (!isFirst && ms > 1000) {
      this.mostPerSecond = Math.max(this.mostPerSecond, (1000 * (lines.length - 1)) / ms);
    }
    this.workerMs += ms;
    seen.lastLookAt = now;
    this.unhandled.push(
      ...lines
        .filter((line) => UNHANDLED.test(line) && !KNOWN.test(line))
        .map((line) => `${worker.node}: ${line}`),
    );
  }

  forget(worker: WorkerProcess): void {
    this.seen.delete(worker);
  }

  /** Of one worker. */
  get perMinute(): number {
    return this.workerMs === 0 ? 0 : (this.lines * MS_PER_MINUTE) / this.workerMs;
  }
}
