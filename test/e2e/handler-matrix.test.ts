import { beforeEach, describe, expect, it } from '@jest/globals';
import { applyDecorators, Controller, Get, Inject, type Type } from '@nestjs/common';
import { EventEmitter2, EventEmitterModule, OnEvent } from '@nestjs/event-emitter';
import { Cron, Interval, ScheduleModule, SchedulerRegistry, Timeout } from '@nestjs/schedule';

import { InMemoryLeaseStore, OnlyLeader } from '../../lib/index.js';
import { awaitUntil } from '../support/await-until.js';
import { useApps, type StartedApp } from '../support/nest/apps.js';
import { untilState } from '../support/nest/leadership.js';

/** Rule J-14 and N-01: in every place and order, one registration, run by the leader and by nobody else. */
const RUNS = Symbol('what ran in this application');

interface Jobs {
  run(): unknown;
}

/** Who calls the method, and how to make that happen. */
interface Handler {
  readonly decorator: MethodDecorator;
  registered(app: StartedApp): number;
  /** Resolves when the handler has been called. */
  trigger(app: StartedApp): Promise<unknown>;
  readonly follower: 'is skipped' | 'answers 503';
}

// Long enough for the leader to win before, and short enough to wait for.
const TIMEOUT_HANDLER_MS = 500;

const HANDLERS: Readonly<Record<string, Handler>> = {
  '@Cron': {
    decorator: Cron('0 0 0 1 1 *', { name: 'yearly' }),
    registered: ({ app }) => app.get(SchedulerRegistry).getCronJobs().size,
    trigger: async ({ app }) => app.get(SchedulerRegistry).getCronJob('yearly').fireOnTick(),
    follower: 'is skipped',
  },
  '@Interval': {
    decorator: Interval(20),
    registered: ({ app }) => app.get(SchedulerRegistry).getIntervals().length,
    trigger: nextCall,
    follower: 'is skipped',
  },
  '@Timeout': {
    decorator: Timeout(TIMEOUT_HANDLER_MS),
    registered: ({ app }) => app.get(SchedulerRegistry).getTimeouts().length,
    trigger: firstCall,
    follower: 'is skipped',
  },
  '@OnEvent': {
    decorator: OnEvent('something'),
    registered: ({ app }) => app.get(EventEmitter2).listenerCount('something'),
    trigger: ({ app }) => app.get(EventEmitter2).emitAsync('something'),
    follower: 'is skipped',
  },
  '@Get': {
    decorator: Get('run'),
    registered: () => 1,
    trigger: async ({ url }) => (await fetch(`${url}/jobs/run`)).status,
    follower: 'answers 503',
  },
};

type Place = (handler: MethodDecorator) => Type<Jobs>;

const PLACES: Readonly<Record<string, Place>> = {
  'below the handler': (handler) => jobs(handler, OnlyLeader()),
  'above the handler': (handler) => jobs(OnlyLeader(), handler),
  'inside applyDecorators, after the handler': (handler) =>
    jobs(applyDecorators(handler, OnlyLeader())),
  'inside applyDecorators, before the handler': (handler) =>
    jobs(applyDecorators(OnlyLeader(), handler)),
  'on the class': (handler) => {
    const type = jobs(handler);
    OnlyLeader()(type);
    return type;
  },
  'on a class that inherits the handler': (handler) => {
    class Inheriting extends jobs(handler) {}
    OnlyLeader()(Inheriting);
    return Inheriting;
  },
  'on the class that the handler is inherited from': (handler) => {
    class Inheriting extends jobs(handler, OnlyLeader()) {}
    return Inheriting;
  },
  'on a class that overrides the handler': (handler) => {
    class Overriding extends jobs() {
      override run() {
        return super.run();
      }
    }
    decorate(Overriding, handler);
    OnlyLeader()(Overriding);
    return Overriding;
  },
};

const CASES = Object.keys(HANDLERS).flatMap((handler) =>
  Object.keys(PLACES).map((place) => ({ handler, place })),
);

describe('@OnlyLeader() in two applications of one class', () => {
  const apps = useApps();
  let store: InMemoryLeaseStore;

  beforeEach(() => {
    store = new InMemoryLeaseStore();
  });

  it.each(CASES)('N-01 N-09 N-18: guards $handler once, $place', async ({ handler, place }) => {
    const called = HANDLERS[handler];
    const type = PLACES[place]?.(called?.decorator ?? raise(handler)) ?? raise(place);
    if (called === undefined) throw raise(handler);

    const leading = await start(type);
    await untilState(leading.leader, 'leader');
    const following = await start(type);
    await untilState(following.leader, 'follower');

    expect(called.registered(leading)).toBe(1);
    expect(called.registered(following)).toBe(1);
    const [onLeader, onFollower] = await Promise.all([
      called.trigger(leading),
      called.trigger(following),
    ]);

    expect(runsOf(following)).toEqual([]);
    expect(following.events.all('runStarted')).toEqual([]);
    if (called.follower === 'answers 503') {
      expect([onLeader, onFollower]).toEqual([200, 503]);
      expect(following.events.all('skipped')).toMatchObject([{ outcome: 'throw' }]);
    } else {
      expect(following.events.all('skipped')[0]).toMatchObject({ outcome: 'skip' });
    }
    // An interval may have come round again meanwhile.
    if (handler === '@Interval') expect(runsOf(leading).length).toBeGreaterThan(0);
    else expect(runsOf(leading)).toEqual(['run']);
    expect(apps.logger.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  async function start(type: Type<Jobs>): Promise<StartedApp> {
    const runs: string[] = [];
    return apps.start({
      http: true,
      election: { store },
      imports: [ScheduleModule.forRoot(), EventEmitterModule.forRoot()],
      providers: [{ provide: RUNS, useValue: runs }],
      controllers: [type],
    });
  }
});

/** A class whose `run` has these decorators, the first one on top. It injects no `LeaderService` (N-23). */
function jobs(...decorators: MethodDecorator[]): Type<Jobs> {
  @Controller('jobs')
  class PlainJobs {
    @Inject(RUNS) private readonly runs!: string[];

    run(): unknown {
      this.runs.push('run');
      return 'ran';
    }
  }
  decorate(PlainJobs, ...decorators);
  return PlainJobs;
}

function decorate(type: Type<Jobs>, ...decorators: MethodDecorator[]): void {
  const { prototype } = type as { prototype: object };
  const descriptor = Object.getOwnPropertyDescriptor(prototype, 'run');
  const decorated = Reflect.decorate(decorators, prototype, 'run', descriptor);
  if (decorated !== undefined) Object.defineProperty(prototype, 'run', decorated);
}

function runsOf({ app }: StartedApp): string[] {
  return app.get<string[]>(RUNS);
}

/** The handler has been called, whatever came of it. */
async function firstCall(app: StartedApp): Promise<void> {
  await callsExceed(app, 0);
}

async function nextCall(app: StartedApp): Promise<void> {
  await callsExceed(app, callsOf(app));
}

function callsExceed(app: StartedApp, count: number): Promise<void> {
  return awaitUntil(() => callsOf(app) > count, { what: 'the handler is called' });
}

function callsOf({ events }: StartedApp): number {
  return events.all('skipped').length + events.all('runEnded').length;
}

function raise(what: string): never {
  throw new Error(`No such row: ${what}`);
}
