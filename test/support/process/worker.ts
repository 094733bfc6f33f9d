/** The entry of a worker process. It tells its parent all that happens, and does what the parent asks. */
import 'reflect-metadata';

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

import {
  type ElectionListener,
  type HistoryEvent,
  historyRecorder,
  LeaderService,
  recordBelief,
  sharedNowMs,
} from '../../../lib/index.js';
import { block, WorkerAppModule, WorkerJobs } from './worker-app.module.js';
import {
  WORKER_OPTIONS,
  type WorkerCalls,
  type WorkerMessage,
  type WorkerOptions,
  type WorkerRequest,
  type WorkerStatus,
  type WorkResult,
} from './worker-protocol.js';

type Handlers = {
  [Call in keyof WorkerCalls]: (
    args: WorkerCalls[Call]['args'],
  ) => WorkerCalls[Call]['result'] | Promise<WorkerCalls[Call]['result']>;
};

const DID_NOT_RUN: WorkResult = {
  ran: false,
  startedAt: 0,
  endedAt: 0,
  leaderAtEnd: false,
  abortedAtEnd: false,
};

const options = JSON.parse(process.env[WORKER_OPTIONS] ?? '') as WorkerOptions;
const { node } = options;
const count = { renewals: 0, runs: 0, skips: 0, gains: 0, losses: 0 };

function tell(message: WorkerMessage): void {
  if (process.connected) process.send?.(message);
}

const record = (event: HistoryEvent): void => tell({ type: 'event', event });
const recorder = historyRecorder(node, record);
const events: ElectionListener = {
  ...recorder,
  renewed: () => (count.renewals += 1),
  runStarted: (event) => {
    count.runs += 1;
    recorder.runStarted?.(event);
  },
  skipped: () => (count.skips += 1),
};

async function createApplication(first: boolean): Promise<INestApplicationContext> {
  const parts = first
    ? { options, events }
    : { options: { ...options, node: `${node}-more` }, events: {} };
  const module = WorkerAppModule.with(parts);
  const logging = options.logLevels === undefined ? {} : { logger: [...options.logLevels] };
  if (first && options.kind !== 'context') return NestFactory.create(module, logging);
  return NestFactory.createApplicationContext(module, logging);
}

function watch(leader: LeaderService): void {
  recordBelief(node, leader, record);
  let wasLeader = false;
  leader.leadership$.subscribe(({ isLeader }) => {
    if (isLeader && !wasLeader) count.gains += 1;
    if (!isLeader && wasLeader) count.losses += 1;
    wasLeader = isLeader;
  });
}

function handlersOf(app: INestApplicationContext): Handlers {
  const leader = app.get(LeaderService);
  const jobs = app.get(WorkerJobs);
  return {
    status: (): WorkerStatus => ({
      ...count,
      state: leader.state,
      isLeader: leader.isLeader,
      epoch: leader.epoch,
      port: portOf(app),
    }),
    work: async ({ ms, how }) =>
      (how === 'spin' ? jobs.spin(ms) : await jobs.sleep(ms)) ?? DID_NOT_RUN,
    spin: ({ ms }) => {
      block(ms);
      const ranAfter = jobs.touch() === true;
      return { leaderAfter: leader.isLeader, ranAfter };
    },
    hammer: ({ everyMs }) => {
      setInterval(() => jobs.touch(), everyMs).unref();
      return null;
    },
    stepDown: async ({ cooldownMs }) => {
      await leader.stepDown({ cooldownMs });
      return null;
    },
    close: async () => {
      const startedAt = sharedNowMs();
      await app.close();
      return { tookMs: sharedNowMs() - startedAt };
    },
    memory: () => {
      setFlagsFromString('--expose-gc');
      (runInNewContext('gc') as () => void)();
      return { heapBytes: process.memoryUsage().heapUsed };
    },
  };
}

function portOf(app: INestApplicationContext): number | null {
  if (!('getHttpServer' in app) || typeof app.getHttpServer !== 'function') return null;
  const server = app.getHttpServer() as { address(): { port: number } | null };
  return server.address()?.port ?? null;
}

function answer(handlers: Handlers): void {
  process.on('message', (message) => {
    const { id, call, args } = message as WorkerRequest;
    const handler = handlers[call] as (args: unknown) => unknown;
    void Promise.resolve()
      .then(() => handler(args))
      .then(
        (result) => tell({ type: 'reply', id, result }),
        (error: unknown) => tell({ type: 'failed', id, error: String(error) }),
      );
  });
  // Listening for messages must not keep the process alive.
  process.channel?.unref();
}

// Node's own line does not say where it comes from.
process.on('warning', ({ stack }) => process.stderr.write(`${stack}\n`));
// A parent that is gone cannot clean up.
process.on('disconnect', () => process.exit(1));

const app = await createApplication(true);
if (options.shutdownHooks !== false) app.enableShutdownHooks();
watch(app.get(LeaderService));
answer(handlersOf(app));
if ('listen' in app && typeof app.listen === 'function') await app.listen(0, '127.0.0.1');
else await app.init();
for (let more = 1; more < (options.applications ?? 1); more += 1) {
  await (await createApplication(false)).init();
}
tell({ type: 'ready' });
