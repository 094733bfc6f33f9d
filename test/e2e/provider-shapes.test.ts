import { beforeEach, describe, expect, it } from '@jest/globals';
import { Controller, Get, Inject, Injectable, type Provider, Scope } from '@nestjs/common';
import { ModuleRef, REQUEST } from '@nestjs/core';
import { EventEmitter2, EventEmitterModule, OnEvent } from '@nestjs/event-emitter';
import { Cron, ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';

import {
  InMemoryLeaseStore,
  isNotLeaderException,
  LeaderService,
  OnlyLeader,
} from '../../lib/index.js';
import { useApps, type StartedApp } from '../support/nest/apps.js';
import { untilState } from '../support/nest/leadership.js';
import { Rival } from '../support/nest/rival.js';

const apps = useApps();
let store: InMemoryLeaseStore;
let ran: string[];

beforeEach(() => {
  store = new InMemoryLeaseStore();
  ran = [];
});

class Jobs {
  @OnlyLeader()
  run(): string {
    ran.push('run');
    return 'ran';
  }
}

class Dependency {}

@Injectable()
class Injected extends Jobs {
  constructor(readonly dependency: Dependency) {
    super();
  }
}

@Injectable({ scope: Scope.TRANSIENT })
class Transient extends Jobs {}

@Injectable({ scope: Scope.REQUEST })
class Requested extends Jobs {}

const TOKEN = Symbol('jobs');

/** How an application may come by the instance, which injects no `LeaderService` (N-23). */
const SHAPES: readonly {
  readonly shape: string;
  readonly providers: () => Provider[];
  readonly find: (started: StartedApp) => Promise<Jobs> | Jobs;
}[] = [
  {
    shape: 'a class',
    providers: () => [Jobs],
    find: ({ app }) => app.get(Jobs),
  },
  {
    shape: 'a class that inherits the method and injects something',
    providers: () => [Injected, Dependency],
    find: ({ app }) => app.get(Injected),
  },
  {
    shape: 'useClass',
    providers: () => [{ provide: TOKEN, useClass: Jobs }],
    find: ({ app }) => app.get<Jobs>(TOKEN),
  },
  {
    shape: 'useFactory',
    providers: () => [{ provide: TOKEN, useFactory: () => new Jobs() }],
    find: ({ app }) => app.get<Jobs>(TOKEN),
  },
  {
    shape: 'an async useFactory',
    providers: () => [{ provide: TOKEN, useFactory: async () => new Jobs() }],
    find: ({ app }) => app.get<Jobs>(TOKEN),
  },
  {
    shape: 'useValue',
    providers: () => [{ provide: TOKEN, useValue: new Jobs() }],
    find: ({ app }) => app.get<Jobs>(TOKEN),
  },
  {
    shape: 'useExisting',
    providers: () => [Jobs, { provide: TOKEN, useExisting: Jobs }],
    find: ({ app }) => app.get<Jobs>(TOKEN),
  },
  {
    shape: 'transient scope',
    providers: () => [Transient],
    find: ({ app }) => app.resolve(Transient),
  },
  {
    shape: 'request scope',
    providers: () => [Requested],
    find: ({ app }) => app.resolve(Requested),
  },
  {
    shape: 'ModuleRef.create()',
    providers: () => [],
    find: ({ app }) => app.get(ModuleRef).create(Jobs),
  },
];

describe.each(SHAPES)('N-23: $shape', ({ providers, find }) => {
  it('N-18: runs on the leader and on nobody else', async () => {
    const leading = await apps.start({ election: { store }, providers: providers() });
    await untilState(leading.leader, 'leader');
    const following = await apps.start({ election: { store }, providers: providers() });
    await untilState(following.leader, 'follower');

    const jobsOfFollower = await find(following);
    expect(refusalOf(() => jobsOfFollower.run())).toBe(true);
    expect(ran).toEqual([]);

    const jobs = await find(leading);
    expect(jobs.run()).toBe('ran');
    expect(ran).toEqual(['run']);

    await leading.app.close();
    await untilState(following.leader, 'leader');
    expect(refusalOf(() => jobs.run())).toBe(true);
    expect(jobsOfFollower.run()).toBe('ran');
  });
});

describe('a class that overrides', () => {
  it('runs the override everywhere where it has no decorator of its own', async () => {
    @Injectable()
    class Overriding extends Jobs {
      override run() {
        return 'unguarded';
      }
    }
    await Rival.leads(store);
    const { app } = await apps.start({ election: { store }, providers: [Overriding] });
    expect(app.get(Overriding).run()).toBe('unguarded');
  });

  it('guards what it calls of the class above', async () => {
    @Injectable()
    class Overriding extends Jobs {
      override run() {
        return `above: ${super.run()}`;
      }
    }
    const rival = await Rival.leads(store);
    const { app, leader } = await apps.start({ election: { store }, providers: [Overriding] });
    await untilState(leader, 'follower');
    expect(refusalOf(() => app.get(Overriding).run())).toBe(true);
    await rival.letsGo();
    await untilState(leader, 'leader');
    expect(app.get(Overriding).run()).toBe('above: ran');
  });
});

describe('N-08: scopes', () => {
  it('injecting LeaderService makes nobody request-scoped', async () => {
    class Consumer {
      constructor(readonly leader: LeaderService) {}
      @Cron('0 0 0 1 1 *', { name: 'yearly' })
      @OnlyLeader()
      run() {}
    }
    Inject(LeaderService)(Consumer, undefined as unknown as string, 0);
    const { app } = await apps.start({
      imports: [ScheduleModule.forRoot()],
      providers: [Consumer],
    });
    expect(app.get(Consumer)).toBe(app.get(Consumer));
    expect(app.get(SchedulerRegistry).getCronJobs().size).toBe(1);
  });

  it('guards routes and events of a request-scoped class, whose jobs Nest does not register', async () => {
    @Controller({ path: 'scoped', scope: Scope.REQUEST })
    class Scoped {
      @Inject(REQUEST) readonly request!: unknown;

      @Get()
      @OnlyLeader()
      route() {
        ran.push('route');
        return 'ran';
      }
    }

    @Injectable({ scope: Scope.REQUEST })
    class ScopedHandlers {
      @OnEvent('something')
      @OnlyLeader()
      event() {
        ran.push('event');
      }

      @Cron('0 0 0 1 1 *')
      @OnlyLeader()
      job() {
        ran.push('job');
      }
    }
    const rival = await Rival.leads(store);
    const started = await apps.start({
      http: true,
      election: { store },
      imports: [ScheduleModule.forRoot(), EventEmitterModule.forRoot()],
      controllers: [Scoped],
      providers: [ScopedHandlers],
    });
    const { app, leader, url } = started;
    await untilState(leader, 'follower');

    expect((await fetch(`${url}/scoped`)).status).toBe(503);
    await app.get(EventEmitter2).emitAsync('something', {});
    expect(ran).toEqual([]);

    await rival.letsGo();
    await untilState(leader, 'leader');
    expect((await fetch(`${url}/scoped`)).status).toBe(200);
    await app.get(EventEmitter2).emitAsync('something', {});
    expect(ran).toEqual(['route', 'event']);

    expect(app.get(SchedulerRegistry).getCronJobs().size).toBe(0);
    expect(apps.logger.texts('warn', 'Scheduler')).toEqual([
      expect.stringContaining('defined in a non static provider'),
    ]);
  });
});

describe('N-18: one instance in two applications', () => {
  it('is refused while both run, since its leadership would be ambiguous', async () => {
    const shared = new Jobs();
    const providers = [{ provide: TOKEN, useValue: shared }];
    const first = await apps.start({ election: { store }, providers });
    await untilState(first.leader, 'leader');
    await expect(apps.start({ election: { store }, providers })).rejects.toThrow(
      'One instance of Jobs is shared by two running applications, so @OnlyLeader() on it cannot tell whose leadership ' +
        'counts. Give each application its own instance.',
    );
    expect(shared.run()).toBe('ran');
  });

  it('goes to the second once the first is closed', async () => {
    const shared = new Jobs();
    const providers = [{ provide: TOKEN, useValue: shared }];
    const first = await apps.start({ election: { store }, providers });
    await first.app.close();
    const second = await apps.start({ election: { store }, providers });
    await untilState(second.leader, 'leader');
    expect(shared.run()).toBe('ran');
  });
});

it('N-02: triggers no getter of any provider', async () => {
  let read = 0;
  @Injectable()
  class Accessors {
    get value() {
      return ++read;
    }
    @OnlyLeader()
    run() {
      return 'ran';
    }
  }
  OnlyLeader()(Accessors);
  const { app, leader } = await apps.start({ providers: [Accessors] });
  await untilState(leader, 'leader');
  expect(app.get(Accessors).run()).toBe('ran');
  expect(read).toBe(0);
});

it('warns of functions that @OnlyLeader() on a class does not reach', async () => {
  @OnlyLeader()
  @Injectable()
  class Charges {
    readonly amount = 5;
    readonly charge = () => this.amount;
    // What is injected is not the class's own doing.
    readonly model = Array;
    readonly client = Object.assign(() => 1, { extra: 1 });
    refund(): number {
      return this.amount;
    }
  }
  await apps.start({ providers: [Charges] });
  expect(apps.logger.texts('warn')).toEqual([
    'Charges.charge is a property that holds a function, so @OnlyLeader() on the class does not guard it: it runs on ' +
      'every instance. Make it a method if it is leader-only work.',
  ]);
});

describe('N-06: one class under several tokens', () => {
  class Scheduled {
    @Cron('0 0 0 1 1 *')
    @OnlyLeader()
    run() {
      ran.push('run');
    }
  }

  const WARNING =
    'Scheduled is registered 2 times, so each of its scheduled @OnlyLeader() methods runs 2 times a tick on the leader. ' +
    'Provide it once, under one token.';

  it.each<[string, Provider[]]>([
    ['two instances', [Scheduled, { provide: TOKEN, useClass: Scheduled }]],
    ['an alias', [Scheduled, { provide: TOKEN, useExisting: Scheduled }]],
  ])('%s: runs twice a tick on the leader, with a warning', async (_what, providers) => {
    await expectRunsPerTick(2, [ScheduleModule.forRoot()], providers);
    expect(apps.logger.texts('warn')).toEqual([WARNING]);
  });

  it('N-05: so it is with two imports of ScheduleModule', async () => {
    const imports = [ScheduleModule.forRoot(), ScheduleModule.forRoot()];
    await expectRunsPerTick(2, imports, [Scheduled]);
    expect(apps.logger.texts('warn')).toEqual([
      'ScheduleModule.forRoot() is imported 2 times, so each scheduled @OnlyLeader() method runs 2 times a tick on the ' +
        'leader. Import it once, in the root module.',
    ]);
  });

  it('says nothing of an alias where only events are handled, which Nest registers once', async () => {
    class Listening {
      @OnEvent('something')
      @OnlyLeader()
      run() {
        ran.push('run');
      }
    }
    const { app, leader } = await apps.start({
      imports: [EventEmitterModule.forRoot()],
      providers: [Listening, { provide: TOKEN, useExisting: Listening }],
    });
    await untilState(leader, 'leader');
    await app.get(EventEmitter2).emitAsync('something');
    expect(ran).toEqual(['run']);
    expect(apps.logger.texts('warn')).toEqual([]);
  });

  it('says nothing where all is well', async () => {
    await expectRunsPerTick(1, [ScheduleModule.forRoot()], [Scheduled, Jobs]);
    expect(apps.logger.texts('warn')).toEqual([]);
  });
});

async function expectRunsPerTick(
  runs: number,
  imports: NonNullable<Parameters<typeof apps.start>[0]>['imports'] & object,
  providers: Provider[],
) {
  const { app, leader } = await apps.start({ imports, providers });
  await untilState(leader, 'leader');
  const jobs = schedulersOf(app).flatMap((registry) => [...registry.getCronJobs().values()]);
  for (const job of jobs) void job.fireOnTick();
  expect(ran).toHaveLength(runs);
}

/** Each import of `ScheduleModule.forRoot()` brings a registry of its own. */
function schedulersOf(app: StartedApp['app']): SchedulerRegistry[] {
  return app.get<SchedulerRegistry>(SchedulerRegistry, {
    strict: false,
    each: true,
  });
}

/** True where the call was refused, false where it ran. */
function refusalOf(call: () => unknown): boolean {
  try {
    call();
    return false;
  } catch (error) {
    if (isNotLeaderException(error)) return true;
    throw error;
  }
}
