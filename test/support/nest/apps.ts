import { afterEach } from '@jest/globals';
import type { INestApplication, LoggerService, ModuleMetadata } from '@nestjs/common';
import { Test } from '@nestjs/testing';

import {
  InMemoryLeaseStore,
  LeaderElectionModule,
  type LeaderElectionOptions,
  LeaderService,
} from '../../../lib/index.js';
import { ElectionRecorder } from './election-recorder.js';
import { RecordingLogger } from './recording-logger.js';

export interface AppOptions extends ModuleMetadata {
  /** Over the defaults below; `store` is a new one unless given here. */
  readonly election?: Partial<LeaderElectionOptions>;
  /** In place of `forRoot` with `election`; the recorder then hears nothing unless it is handed on. */
  readonly electionModule?: NonNullable<ModuleMetadata['imports']>;
  readonly http?: boolean;
}

export interface StartedApp {
  readonly app: INestApplication;
  readonly leader: LeaderService;
  readonly events: ElectionRecorder;
  readonly url: string;
}

export interface Apps {
  readonly logger: RecordingLogger;
  /** A compiled application that has not run its hooks yet. It is closed after the test. */
  create(options?: AppOptions): Promise<StartedApp>;
  start(options?: AppOptions): Promise<StartedApp>;
  /** Closes this application after the test. */
  track<T extends Closable>(app: T): T;
}

interface Closable {
  close(): Promise<void>;
}

/** Real applications for the tests of one file; all are closed after each test, also after one that failed. */
export function useApps(): Apps {
  const open: Closable[] = [];
  const logger = new RecordingLogger();

  afterEach(async () => {
    const closed = await Promise.allSettled(open.splice(0).map((app) => app.close()));
    logger.lines.length = 0;
    for (const result of closed) if (result.status === 'rejected') throw result.reason;
  });

  const apps: Apps = {
    logger,
    track(app) {
      open.push(app);
      return app;
    },
    async create({ election, electionModule, http = false, ...metadata } = {}) {
      const events = new ElectionRecorder();
      const options = rootOptions({ events, ...election });
      const module = await Test.createTestingModule({
        ...metadata,
        imports: [
          ...(electionModule ?? [LeaderElectionModule.forRoot(options)]),
          ...(metadata.imports ?? []),
        ],
      })
        .setLogger(logger satisfies LoggerService)
        .compile();
      const app = apps.track(module.createNestApplication());
      if (http) await app.listen(0, '127.0.0.1');
      const url = http ? await app.getUrl() : '';
      return { app, leader: app.get(LeaderService), events, url };
    },
    async start(options) {
      const started = await apps.create(options);
      await started.app.init();
      return started;
    },
  };
  return apps;
}

/** A lease so long that no pause of a busy machine ends it, unless a test is about that. */
export function rootOptions(over: Partial<LeaderElectionOptions> = {}): LeaderElectionOptions {
  const store = over.redis === undefined ? { store: new InMemoryLeaseStore() } : {};
  return { leaseTtlMs: 10_000, drainTimeoutMs: 2_000, ...store, ...over };
}
