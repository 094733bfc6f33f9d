import { beforeEach, describe, expect, it } from '@jest/globals';
import { Inject, Injectable } from '@nestjs/common';
import { EventEmitter2, EventEmitterModule, OnEvent } from '@nestjs/event-emitter';
import { Cron, Interval, ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import { CronJob } from 'cron';
import { of } from 'rxjs';

import { InMemoryLeaseStore, LeaderService, OnlyLeader } from '../../lib/index.js';
import { useApps } from '../support/nest/apps.js';
import { FaultyStore } from '../support/nest/faulty-store.js';
import { gate, untilState } from '../support/nest/leadership.js';
import { Rival } from '../support/nest/rival.js';

const apps = useApps();
const imports = [ScheduleModule.forRoot(), EventEmitterModule.forRoot()];
let store: InMemoryLeaseStore;
let ran: string[];

beforeEach(() => {
  store = new InMemoryLeaseStore();
  ran = [];
});

describe('J-01: several instances', () => {
  it('run each tick of an every-second cron job exactly once', async () => {
    const TICKS = 3;
    const ticks = new Map<number, string[]>();
    class Jobs {
      constructor(@Inject(LeaderService) readonly leader: LeaderService) {}
      @Cron('* * * * * *')
      @OnlyLeader()
      run() {
        // A tick may fire some milliseconds early.
        const second = Math.round(Date.now() / 1000);
        ticks.set(second, [...(ticks.get(second) ?? []), this.leader.nodeId]);
      }
    }
    const started = await Promise.all(
      ['a', 'b', 'c', 'd'].map((nodeId) =>
        apps.start({ imports, election: { store, nodeId }, providers: [Jobs] }),
      ),
    );
    const leading = await Promise.race(
      started.map(async (each) => {
        await untilState(each.leader, 'leader');
        return each;
      }),
    );
    for (let tick = 0; tick < TICKS; tick += 1) await leading.events.next('runEnded');
    const leaders = new Set([...ticks.values()].flat());
    expect([...ticks.values()].every((nodes) => nodes.length === 1)).toBe(true);
    expect([...leaders]).toEqual([leading.leader.nodeId]);
    expect(ticks.size).toBeGreaterThanOrEqual(TICKS);
  });
});

describe('a follower', () => {
  it('J-08 J-14: skips at the moment of the call, without an error', async () => {
    class Jobs {
      @Cron('0 0 0 1 1 *', { name: 'yearly' })
      @OnlyLeader()
      async run() {
        ran.push('run');
      }
    }
    const { app, leader, events } = await apps.start({
      imports,
      election: { store },
      providers: [Jobs],
    });
    await untilState(leader, 'leader');
    const job = app.get(SchedulerRegistry).getCronJob('yearly');
    const demoted = leader.stepDown();
    // The timer is armed, the leadership is over.
    void job.fireOnTick();
    await events.first('skipped');
    await demoted;
    expect(ran).toEqual([]);
    expect(events.all('skipped')).toEqual([
      { election: 'default', handler: 'Jobs.run', outcome: 'skip' },
    ]);
    expect(apps.logger.lines.filter(({ level }) => level === 'error')).toEqual([]);
    expect(apps.logger.texts('debug')).toContain(
      'Election "default": skipped Jobs.run, not the leader.',
    );
  });

  it.each([
    ['throw', 'Not the leader of election "default"'],
    ['skip', undefined],
  ] as const)('does as it is told otherwise: %s', async (otherwise, error) => {
    class Jobs {
      @Cron('0 0 0 1 1 *', { name: 'yearly' })
      @OnlyLeader({ otherwise })
      job() {
        ran.push('job');
      }
      @OnlyLeader({ otherwise })
      call() {
        ran.push('call');
        return 'ran';
      }
    }
    await Rival.leads(store);
    const { app, leader } = await apps.start({ imports, election: { store }, providers: [Jobs] });
    await untilState(leader, 'follower');
    void app.get(SchedulerRegistry).getCronJob('yearly').fireOnTick();
    const call = () => app.get(Jobs).call();
    if (error === undefined) expect(call()).toBeUndefined();
    else expect(call).toThrow(error);
    await new Promise((resolve) => setImmediate(resolve));
    expect(ran).toEqual([]);
    const errors = apps.logger.texts('error', 'Scheduler');
    expect(errors).toEqual(
      error === undefined ? [] : [expect.stringContaining('Not the leader of election "default"')],
    );
  });
});

describe('a job that fails', () => {
  it.each([
    ['throws', () => raise(new Error('of the job'))],
    ['rejects', async () => raise(new Error('of the job'))],
    ['throws undefined', () => raise(undefined)],
  ])('J-08: %s: leadership stays, the error goes on, the next tick runs', async (_how, work) => {
    class Jobs {
      @Interval(10)
      @OnlyLeader()
      run(): unknown {
        ran.push('run');
        return work();
      }
    }
    const { leader, events } = await apps.start({
      imports,
      election: { store },
      providers: [Jobs],
    });
    await untilState(leader, 'leader');
    const { epoch } = leader;
    await events.next('runEnded', ({ failed }) => failed);
    await events.next('runEnded', ({ failed }) => failed);
    expect(leader.epoch).toBe(epoch);
    await new Promise((resolve) => setImmediate(resolve));
    expect(
      apps.logger.lines.filter(({ context }) => context === 'Scheduler').length,
    ).toBeGreaterThan(0);
  });
});

describe('a job that takes long', () => {
  it('J-12: is not begun again while it runs where it asks for that', async () => {
    const work = gate();
    class Jobs {
      @Cron('0 0 0 1 1 *', { name: 'yearly', waitForCompletion: true })
      @OnlyLeader()
      async run() {
        ran.push('begins');
        await work.passed;
      }
    }
    const { app, leader } = await apps.start({ imports, election: { store }, providers: [Jobs] });
    await untilState(leader, 'leader');
    const job = app.get(SchedulerRegistry).getCronJob('yearly');
    const first = job.fireOnTick();
    await job.fireOnTick();
    expect(ran).toEqual(['begins']);
    work.open();
    await first;
    await job.fireOnTick();
    expect(ran).toEqual(['begins', 'begins']);
    await leader.stepDown();
    // A skipped tick returns at once.
    await job.fireOnTick();
    expect(ran).toHaveLength(2);
  });

  it('J-21: of ten leases keeps its leadership, in one run', async () => {
    const leaseTtlMs = 200;
    const { leader, events } = await apps.start({ election: { store, leaseTtlMs } });
    await untilState(leader, 'leader');
    const epoch = await leader.runIfLeader(async ({ epoch, signal }) => {
      const until = performance.now() + 10 * leaseTtlMs;
      while (performance.now() < until) await events.next('renewed');
      expect(signal.aborted).toBe(false);
      return epoch;
    });
    expect(leader.epoch).toBe(epoch);
    expect(events.all('runStarted')).toHaveLength(1);
    expect(events.all('ended')).toEqual([]);
  });

  it('J-06: is told by its signal, and refused by what checks its epoch, when a renewal hangs', async () => {
    const faulty = new FaultyStore(store);
    const { leader, events } = await apps.start({ election: { store: faulty, leaseTtlMs: 600 } });
    await untilState(leader, 'leader');
    const fenced = new FencedLedger();
    const writing = leader.runIfLeader(async ({ epoch, signal }) => {
      fenced.write(epoch, 'in time');
      const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve));
      faulty.health = 'silent';
      await aborted;
      expect(leader.isLeader).toBe(false);
      fenced.write(epoch + 1, 'of the next leader');
      return () => fenced.write(epoch, 'too late');
    });
    const late = await writing;
    expect(late).toThrow('refused');
    expect(fenced.written).toEqual(['in time', 'of the next leader']);
    expect(events.all('runEnded')).toMatchObject([{ outlived: true }]);
  });
});

describe('N-10: a job added at run time', () => {
  it('is guarded through runIfLeader()', async () => {
    const rival = await Rival.leads(store);
    const { app, leader } = await apps.start({ imports, election: { store } });
    await untilState(leader, 'follower');
    const job = new CronJob('0 0 0 1 1 *', () => {
      leader.runIfLeader(() => ran.push('run'));
    });
    app.get(SchedulerRegistry).addCronJob('dynamic', job);
    void job.fireOnTick();
    expect(ran).toEqual([]);
    await rival.letsGo();
    await untilState(leader, 'leader');
    void job.fireOnTick();
    expect(ran).toEqual(['run']);
  });
});

describe('N-04: what a method returns', () => {
  it('comes back as it is: value, promise, Observable, generator', async () => {
    class Jobs {
      @OnlyLeader()
      value() {
        return 1;
      }
      @OnlyLeader()
      async promise() {
        return 2;
      }
      @OnlyLeader()
      observable() {
        return of(3);
      }
      @OnlyLeader()
      *generator() {
        yield 4;
      }
    }
    const { app, leader } = await apps.start({ election: { store }, providers: [Jobs] });
    await untilState(leader, 'leader');
    const jobs = app.get(Jobs);
    expect(jobs.value()).toBe(1);
    expect(jobs.promise()).toBeInstanceOf(Promise);
    await expect(jobs.promise()).resolves.toBe(2);
    const values: number[] = [];
    jobs.observable().subscribe((value) => values.push(value));
    expect([...values, ...jobs.generator()]).toEqual([3, 4]);
  });
});

describe('start-up', () => {
  it('L-19: a leadership won before the last bootstrap hook ends reaches late subscribers and jobs', async () => {
    const bootstrapped = gate();
    @Injectable()
    class Slow {
      constructor(@Inject(LeaderService) private readonly leader: LeaderService) {}
      async onApplicationBootstrap() {
        await untilState(this.leader, 'leader');
        await bootstrapped.passed;
      }
    }
    class Jobs {
      @Interval(10)
      @OnlyLeader()
      run() {}
      @OnEvent('something')
      @OnlyLeader()
      event() {
        ran.push('event');
      }
    }
    const { app, leader, events } = await apps.create({
      imports,
      election: { store },
      providers: [Slow, Jobs],
    });
    const initialised = app.init();
    await untilState(leader, 'leader');
    bootstrapped.open();
    await initialised;
    const seen: boolean[] = [];
    leader.leadership$.subscribe(({ isLeader }) => seen.push(isLeader));
    expect(seen).toEqual([true]);
    await events.first('runEnded', ({ failed }) => !failed);
    await app.get(EventEmitter2).emitAsync('something');
    expect(ran).toEqual(['event']);
  });

  it('S-21: with a store that fails nothing guarded runs, and it leads once the store is back', async () => {
    const faulty = new FaultyStore(store);
    faulty.health = 'down';
    class Jobs {
      @Interval(10)
      @OnlyLeader()
      run() {
        ran.push('run');
      }
      @OnlyLeader()
      call() {
        ran.push('call');
      }
    }
    const { app, leader, events } = await apps.start({
      imports,
      election: { store: faulty, leaseTtlMs: 600 },
      providers: [Jobs],
    });
    await events.next('storeFailed');
    await events.next('skipped');
    expect(leader).toMatchObject({ isLeader: false, state: 'candidate', leader: null });
    expect(() => app.get(Jobs).call()).toThrow('the leader is unknown');
    expect(ran).toEqual([]);
    expect(apps.logger.texts('warn')).toHaveLength(1);
    faulty.health = 'up';
    await events.first('runEnded');
    expect(ran[0]).toBe('run');
  });
});

describe('O-10: the log', () => {
  it('has a line at the start and one for each transition, with its epoch', async () => {
    const { app, leader, events } = await apps.start({
      election: { store, nodeId: 'pod-1', leaseTtlMs: 300 },
    });
    const { epoch } = await untilState(leader, 'leader');
    for (let nth = 0; nth < 5; nth += 1) await events.next('renewed');
    await app.close();
    expect(apps.logger.texts('log')).toEqual([
      'Election "default": pod-1 takes part (leaseTtlMs 300, renewIntervalMs 99, safetyMarginMs 60).',
      `Election "default": leading, epoch ${epoch}.`,
      'Election "default": draining (shutdown); no new work is admitted.',
      expect.stringMatching(
        `^Election "default": no longer leading, epoch ${epoch} ended after \\d+ ms \\(shutdown\\)\\.$`,
      ),
    ]);
    expect(apps.logger.texts('warn')).toEqual([]);
  });
});

/** What the README asks of whatever stores the data. */
class FencedLedger {
  readonly written: string[] = [];
  private highest = 0;

  write(epoch: number, entry: string): void {
    if (epoch < this.highest) throw new Error(`Epoch ${epoch} is refused.`);
    this.highest = epoch;
    this.written.push(entry);
  }
}

function raise(error: unknown): never {
  throw error;
}
