/** What a Redis spends on the candidates of one election, ttl after ttl. */
import { awaitUntil } from '../../test/support/await-until.js';
import type { RedisServer } from '../../test/support/redis/redis-server.js';
import type { IdleRequest, IdlingApi } from './idling.js';
import { LoadProcess } from './load-process.js';
import { pass } from './pass.js';
import { redisUsage } from './redis-usage.js';
import { SentCommands } from './sent-commands.js';

const WORKER = new URL('idling.worker.js', import.meta.url);
const MOST_IN_A_PROCESS = 500;
const LEADER_TIMEOUT_MS = 30_000;

export interface Idle extends Omit<IdleRequest, 'url' | 'from' | 'to'> {
  readonly candidates: number;
  /** How many ttls to look at. */
  readonly windows: number;
  /** The same for the CPU, before that, since counting costs some. */
  readonly cpuWindows: number;
}

/** A sample for each ttl, of all candidates together. */
export interface IdleWindows {
  readonly commands: readonly number[];
  /** In and out. */
  readonly bytes: readonly number[];
  readonly cpuMs: readonly number[];
}

/** Once one leads, and a ttl has passed. */
export async function idleWindows(server: RedisServer, idle: Idle): Promise<IdleWindows> {
  const processes: LoadProcess<IdlingApi>[] = [];
  try {
    await startAll(processes, server, idle);
    await awaitUntil(async () => (await leaders(processes)) === 1, {
      timeoutMs: LEADER_TIMEOUT_MS,
      what: `one of ${idle.candidates} candidates of ${idle.contestant} leads`,
    });
    await pass(idle.ttlMs);
    const cpuMs = await ofCpu(server, idle);
    return { cpuMs, ...(await ofCommands(server, idle)) };
  } finally {
    await Promise.all(processes.map((one) => one.kill()));
  }
}

async function startAll(
  processes: LoadProcess<IdlingApi>[],
  { url }: RedisServer,
  { candidates, ...idle }: Idle,
): Promise<void> {
  for (let from = 0; from < candidates; from += MOST_IN_A_PROCESS) {
    const started = await LoadProcess.start<IdlingApi>(WORKER);
    processes.push(started);
    const to = Math.min(from + MOST_IN_A_PROCESS, candidates);
    await started.call('start', { ...idle, url, from, to });
  }
}

async function leaders(processes: readonly LoadProcess<IdlingApi>[]): Promise<number> {
  const counts = await Promise.all(processes.map((one) => one.call('leaders')));
  return counts.reduce((sum, count) => sum + count, 0);
}

async function ofCpu(server: RedisServer, { cpuWindows, ttlMs }: Idle): Promise<readonly number[]> {
  const read = async (): Promise<number> => (await redisUsage(server)).cpuMs;
  return steps(await readEach(cpuWindows, ttlMs, read));
}

async function ofCommands(server: RedisServer, { windows, ttlMs }: Idle) {
  const commands = await SentCommands.watch(server);
  const read = async () => {
    const { inputBytes, outputBytes } = await redisUsage(server);
    const bytes = inputBytes + outputBytes - commands.receivedBytes;
    return { commands: commands.count, bytes };
  };
  try {
    // Of two right after each other, the second has seen what the first has cost.
    const [first, second] = [await read(), await read()];
    const ownBytes = second.bytes - first.bytes;
    const readings = await readEach(windows, ttlMs, read);
    return {
      commands: steps(readings.map((reading) => reading.commands)),
      bytes: steps(readings.map((reading) => reading.bytes)).map((bytes) => bytes - ownBytes),
    };
  } finally {
    commands.close();
  }
}

async function readEach<T>(
  windows: number,
  ttlMs: number,
  read: () => Promise<T>,
): Promise<readonly T[]> {
  const startedAt = performance.now();
  const readings = [await read()];
  for (let window = 1; window <= windows; window += 1) {
    await pass(startedAt + window * ttlMs - performance.now());
    readings.push(await read());
  }
  return readings;
}

function steps(readings: readonly number[]): readonly number[] {
  return readings.slice(1).map((reading, index) => reading - (readings[index] ?? NaN));
}
