import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  Controller,
  Inject,
  Injectable,
  Module,
  type OnModuleInit,
  type Type,
} from '@nestjs/common';
import { LazyModuleLoader, NestFactory } from '@nestjs/core';
import { Cron, ScheduleModule } from '@nestjs/schedule';
import { Test } from '@nestjs/testing';

import {
  DuplicateElectionError,
  getLeaderToken,
  InjectLeader,
  InMemoryLeaseStore,
  LeaderElectionModule,
  type LeaderElectionOptions,
  LeaderService,
  OnlyLeader,
  UnknownElectionError,
} from '../../lib/index.js';
import { rootOptions, useApps } from '../support/nest/apps.js';
import { FaultyStore } from '../support/nest/faulty-store.js';
import { openHandles } from '../support/nest/open-handles.js';
import { untilState } from '../support/nest/leadership.js';

const apps = useApps();
let store: InMemoryLeaseStore;

beforeEach(() => {
  store = new InMemoryLeaseStore();
});

const SETTINGS = Symbol('settings');

@Injectable()
class Settings {
  readonly name = 'from-settings';
}

@Injectable()
class SettingsFactory {
  constructor(@Inject(Settings) private readonly settings: Settings) {}
  async create(): Promise<LeaderElectionOptions> {
    return rootOptions({ name: this.settings.name });
  }
}

@Module({
  providers: [Settings, SettingsFactory, { provide: SETTINGS, useExisting: Settings }],
  exports: [Settings, SettingsFactory, SETTINGS],
})
class SettingsModule {}

describe('C-10: forRootAsync', () => {
  it.each([
    [
      'useFactory with imports and inject',
      () =>
        LeaderElectionModule.forRootAsync({
          imports: [SettingsModule],
          inject: [Settings, SETTINGS],
          useFactory: async (settings: Settings, same: Settings) =>
            rootOptions({ name: settings === same ? settings.name : 'another' }),
        }),
    ],
    [
      'useClass',
      () =>
        LeaderElectionModule.forRootAsync({ imports: [SettingsModule], useClass: SettingsFactory }),
    ],
    [
      'useExisting',
      () =>
        LeaderElectionModule.forRootAsync({
          imports: [SettingsModule],
          useExisting: SettingsFactory,
        }),
    ],
  ])('takes its options from %s', async (_how, module) => {
    class Jobs {
      @OnlyLeader()
      run() {
        return 'ran';
      }
      @OnlyLeader('from-settings')
      byName() {
        return 'ran by name';
      }
    }
    const { app, leader } = await apps.start({ electionModule: [module()], providers: [Jobs] });
    await untilState(leader, 'leader');
    const jobs = app.get(Jobs);
    expect([jobs.run(), jobs.byName()]).toEqual(['ran', 'ran by name']);
  });

  it('checks the options that it is given', async () => {
    const module = LeaderElectionModule.forRootAsync({ useFactory: () => ({ redis: undefined }) });
    await expect(apps.start({ electionModule: [module] })).rejects.toThrow('is REDIS_URL set?');
  });

  it('is injected by name where it is told the name as well, which must be the same', async () => {
    class Consumer {
      constructor(@InjectLeader('billing') readonly billing: LeaderService) {}
    }
    const start = (named: string) =>
      apps.start({
        electionModule: [
          LeaderElectionModule.forRootAsync({
            name: 'billing',
            useFactory: () => rootOptions({ name: named }),
          }),
        ],
        providers: [Consumer],
      });
    const { app, leader } = await start('billing');
    expect(app.get(Consumer).billing).toBe(leader);
    await expect(start('other')).rejects.toThrow(
      'LeaderElectionModule.forRootAsync: it was given the name "billing", but its options say "other". Give both the ' +
        'same name.',
    );
  });
});

describe('forFeature', () => {
  @Injectable()
  class Reports {
    constructor(
      @InjectLeader('reports') readonly reports: LeaderService,
      @InjectLeader() readonly main: LeaderService,
      @Inject(getLeaderToken('default')) readonly byName: LeaderService,
    ) {}

    @OnlyLeader('reports')
    run() {
      return this.reports.current().election;
    }
  }

  it('is a further election on the same store, injected by its name', async () => {
    const { app, leader } = await apps.start({
      imports: [LeaderElectionModule.forFeature('reports')],
      providers: [Reports],
    });
    const { reports, main, byName } = app.get(Reports);
    expect(main).toBe(leader);
    expect(byName).toBe(leader);
    expect(reports).not.toBe(leader);
    expect(reports.nodeId).toBe(leader.nodeId);
    await untilState(reports, 'leader');
    expect(app.get(Reports).run()).toBe('reports');
  });

  it('is led independently of the other one', async () => {
    const { app, leader } = await apps.start({
      imports: [LeaderElectionModule.forFeature('reports')],
      providers: [Reports],
    });
    const { reports } = app.get(Reports);
    await Promise.all([untilState(reports, 'leader'), untilState(leader, 'leader')]);
    await leader.stepDown();
    expect([reports.isLeader, leader.isLeader]).toEqual([true, false]);
    expect(app.get(Reports).run()).toBe('reports');
  });

  it('is one election for all modules that ask for the same', async () => {
    @Module({ imports: [LeaderElectionModule.forFeature('reports')], providers: [Reports] })
    class First {}
    @Module({ imports: [LeaderElectionModule.forFeature('reports')], providers: [Reports] })
    class Second {}
    const { app, events, leader } = await apps.start({ imports: [First, Second] });
    await untilState(leader, 'leader');
    const [first, second] = [First, Second].map((type: Type) => app.select(type).get(Reports));
    expect(first?.reports).toBe(second?.reports);
    expect(events.all('started').map(({ election }) => election)).toEqual(['default', 'reports']);
  });

  it.each<[string, Parameters<typeof LeaderElectionModule.forFeature>[0]]>([
    [
      'election "reports" is registered twice with different options',
      { name: 'reports', leaseTtlMs: 30_000 },
    ],
    [
      '"default" is the election of forRoot(), which has its options there',
      { name: 'default', leaseTtlMs: 30_000 },
    ],
  ])('refuses the same name with other options: %s', async (message, again) => {
    const starting = apps.start({
      imports: [LeaderElectionModule.forFeature('reports'), LeaderElectionModule.forFeature(again)],
    });
    await expect(starting).rejects.toThrow(DuplicateElectionError);
    await expect(starting).rejects.toThrow(`LeaderElectionModule: ${message}.`);
  });

  it('says what is missing where there is no forRoot', async () => {
    const compiling = Test.createTestingModule({
      imports: [LeaderElectionModule.forFeature('reports')],
    }).compile();
    await expect(compiling).rejects.toThrow(
      'import LeaderElectionModule.forRoot() in the root module',
    );
  });

  it('means the election of forRoot where it has only its name', async () => {
    const { app, leader } = await apps.start({
      imports: [LeaderElectionModule.forFeature('default')],
    });
    expect(app.get(getLeaderToken('default'), { strict: false })).toBe(leader);
  });

  it('says what is missing where the module is imported bare', async () => {
    const compiling = Test.createTestingModule({ imports: [LeaderElectionModule] }).compile();
    await expect(compiling).rejects.toThrow(
      'import LeaderElectionModule.forRoot() in the root module',
    );
  });

  it('joins at once in a module that is loaded later, and leaves with the application', async () => {
    @Module({ imports: [LeaderElectionModule.forFeature('reports')], providers: [Reports] })
    class Lazy {}
    const { app, leader } = await apps.start();
    await untilState(leader, 'leader');
    const lazy = await app.get(LazyModuleLoader).load(() => Lazy);
    const { reports } = lazy.get(Reports);
    await untilState(reports, 'leader');
    expect(lazy.get(Reports).run()).toBe('reports');
    await app.close();
    expect(reports.state).toBe('stopped');
  });
});

describe('C-11: what fails at start-up and not at midnight', () => {
  it('an election that nobody registered, with the class and method that ask for it', async () => {
    class Jobs {
      @OnlyLeader('reprots')
      run() {}
      @OnlyLeader('reprots')
      other() {}
    }
    const starting = apps.start({
      imports: [LeaderElectionModule.forFeature('reports')],
      providers: [Jobs],
    });
    await expect(starting).rejects.toThrow(UnknownElectionError);
    await expect(starting).rejects.toThrow(
      'No election "reprots" is registered, but Jobs.run, Jobs.other asks for it. Import ' +
        `LeaderElectionModule.forFeature('reprots'), or correct the name. Registered: "default", "reports".`,
    );
  });

  it('so it is for a class from useFactory, in request scope, on a controller, inherited', async () => {
    class Base {
      @OnlyLeader('x')
      run() {}
    }
    @Controller()
    class Jobs extends Base {}
    const named = 'Base.run asks for it';
    await expect(apps.start({ providers: [Jobs] })).rejects.toThrow(named);
    await expect(apps.start({ controllers: [Jobs] })).rejects.toThrow(named);
    const useFactory = () => new Jobs();
    await expect(apps.start({ providers: [{ provide: 'x', useFactory }] })).rejects.toThrow(named);
    const scoped = { provide: 'x', useClass: Jobs, scope: 1 };
    await expect(apps.start({ providers: [scoped] })).rejects.toThrow(named);
  });

  it('a guarded class without the module, with what to import', async () => {
    class Jobs {
      @Cron('* * * * * *')
      @OnlyLeader()
      run() {}
    }
    const compiling = Test.createTestingModule({
      imports: [ScheduleModule.forRoot()],
      providers: [Jobs],
    }).compile();
    await expect(compiling).rejects.toThrow(
      'import LeaderElectionModule.forRoot() in the root module',
    );
  });

  it('LeaderService among the providers of the application', async () => {
    await expect(apps.start({ providers: [LeaderService] })).rejects.toThrow(
      'LeaderService is not to be listed in `providers`: import LeaderElectionModule.forRoot() in the root module, and ' +
        'inject it.',
    );
  });

  it('N-05: two forRoot, which would fight for one lease', async () => {
    const starting = apps.start({
      electionModule: [
        LeaderElectionModule.forRoot(rootOptions({ store })),
        LeaderElectionModule.forRoot(rootOptions({ store, name: 'reports' })),
      ],
    });
    await expect(starting).rejects.toThrow(
      'LeaderElectionModule.forRoot() is imported 2 times in one application (elections "default", "reports"). Import it ' +
        'once, in the root module, and add further elections with LeaderElectionModule.forFeature(name).',
    );
  });

  it('N-05: one forRoot that several modules import is one election', async () => {
    const root = LeaderElectionModule.forRoot(rootOptions({ store }));
    @Module({ imports: [root] })
    class First {}
    const { leader } = await apps.start({ electionModule: [root], imports: [First] });
    await untilState(leader, 'leader');
  });
});

describe('where it runs', () => {
  it('N-07: an alias of LeaderService is the same one, with one loop and one release', async () => {
    const faulty = new FaultyStore();
    const { app, leader } = await apps.start({
      election: { store: faulty },
      providers: [{ provide: 'alias', useExisting: LeaderService }],
    });
    await untilState(leader, 'leader');
    expect(app.get('alias')).toBe(leader);
    await app.close();
    expect(faulty.calls.filter((call) => call !== 'renew')).toEqual(['acquire', 'release']);
  });

  it('N-16 N-19: an application context without HTTP, which ends', async () => {
    class Jobs implements OnModuleInit {
      constructor(@Inject(LeaderService) readonly leader: LeaderService) {}
      atInit: unknown;
      onModuleInit() {
        this.atInit = this.leader.runIfLeader(() => 'ran');
      }
      @OnlyLeader()
      run() {
        return 'ran';
      }
    }
    @Module({ imports: [LeaderElectionModule.forRoot(rootOptions({ store }))], providers: [Jobs] })
    class App {}
    const app = apps.track(await NestFactory.createApplicationContext(App, { logger: false }));
    const jobs = app.get(Jobs);
    expect(jobs.atInit).toBeUndefined();
    await untilState(jobs.leader, 'leader');
    expect(jobs.run()).toBe('ran');
    const fromTimer = await new Promise((resolve) => setTimeout(() => resolve(jobs.run()), 1));
    expect(fromTimer).toBe('ran');
    await app.close();
    expect(jobs.leader.state).toBe('stopped');
    expect(() => jobs.run()).toThrow('Not the leader');
  });

  it('N-17: nothing is open after close, nor where compiling or starting fails', async () => {
    const before = openHandles();
    const set = jest.spyOn(globalThis, 'setTimeout');
    class Broken {
      constructor() {
        throw new Error('Broken provider.');
      }
    }
    class BrokenHook implements OnModuleInit {
      onModuleInit() {
        throw new Error('Broken hook.');
      }
    }
    const imports = [LeaderElectionModule.forRoot(rootOptions({ redis: 'redis://127.0.0.1:1' }))];
    const compiling = Test.createTestingModule({ imports, providers: [Broken] }).compile();
    await expect(compiling).rejects.toThrow('Broken provider.');
    const module = await Test.createTestingModule({ imports, providers: [BrokenHook] }).compile();
    await expect(module.init()).rejects.toThrow('Broken hook.');
    expect(set).not.toHaveBeenCalled();
    set.mockRestore();

    const { app, leader } = await apps.start();
    await untilState(leader, 'leader');
    await app.close();
    expect(openHandles()).toHaveLength(before.length);
  });

  it('N-17: can be closed when it was never started', async () => {
    const { app, leader } = await apps.create();
    await app.close();
    expect(leader.state).toBe('stopped');
  });
});
