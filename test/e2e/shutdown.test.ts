import { beforeEach, describe, expect, it } from '@jest/globals';
import { Controller, Get, Inject, Injectable } from '@nestjs/common';
import { Interval, ScheduleModule } from '@nestjs/schedule';

import {
  InMemoryLeaseStore,
  LeaderService,
  LeadershipLostError,
  OnlyLeader,
} from '../../lib/index.js';
import { useApps } from '../support/nest/apps.js';
import { FaultyStore } from '../support/nest/faulty-store.js';
import { gate, untilState, type Gate } from '../support/nest/leadership.js';

const apps = useApps();
let store: InMemoryLeaseStore;
let log: string[];
let work: Gate;

beforeEach(() => {
  store = new InMemoryLeaseStore();
  log = [];
  work = gate();
});

@Injectable()
class Jobs {
  constructor(@Inject(LeaderService) readonly leader: LeaderService) {}

  @OnlyLeader()
  async run() {
    const { signal, epoch } = this.leader.current();
    log.push(`begins under ${epoch}`);
    await Promise.race([work.passed, aborted(signal)]);
    log.push(signal.aborted ? 'aborted' : 'ends');
    return signal;
  }

  @OnlyLeader()
  async ignoresItsSignal() {
    await work.passed;
    log.push('ends late');
  }

  @OnlyLeader()
  async nested() {
    await work.passed;
    return this.inner();
  }

  @OnlyLeader()
  inner() {
    log.push('nested');
    return 'ran';
  }
}

const SHORT_LEASE = { leaseTtlMs: 600 };

async function start(election = {}) {
  const started = await apps.start({ election: { store, ...election }, providers: [Jobs] });
  return { ...started, jobs: started.app.get(Jobs) };
}

async function startLeading(election = {}) {
  const started = await start(election);
  await untilState(started.leader, 'leader');
  return started;
}

describe('shutdown with running work', () => {
  it('J-02 J-04: renews while work runs for three leases, then releases, then the next begins', async () => {
    const first = await startLeading({ ...SHORT_LEASE, drainTimeoutMs: 10_000 });
    const second = await start(SHORT_LEASE);
    await untilState(second.leader, 'follower');
    const running = first.jobs.run();
    const { epoch } = first.leader;

    const renewedBefore = first.events.all('renewed').length;
    const closed = first.app.close().then(() => log.push('closed'));
    await untilState(first.leader, 'draining');
    // Renewals are due each third of a lease.
    for (let nth = 0; nth < 9; nth += 1) await first.events.next('renewed');
    expect(first.events.all('renewed').length - renewedBefore).toBeGreaterThanOrEqual(9);
    expect(second.leader.isLeader).toBe(false);
    expect(log).toEqual([`begins under ${epoch}`]);

    work.open();
    const signal = await running;
    await untilState(second.leader, 'leader');
    await second.jobs.run();
    await closed;
    expect(signal.reason).toMatchObject({ reason: 'shutdown' });
    expect(log.slice(0, 3)).toEqual([
      `begins under ${epoch}`,
      'ends',
      `begins under ${second.leader.epoch}`,
    ]);
    expect(second.leader.epoch).toBe((epoch ?? NaN) + 1);
  });

  it('refuses new work at once, and lets running work call what is guarded', async () => {
    const { app, jobs, leader } = await startLeading();
    const running = jobs.nested();
    const closed = app.close();
    await untilState(leader, 'draining');
    expect(leader.isLeader).toBe(false);
    expect(() => jobs.inner()).toThrow('Not the leader');
    expect(log).toEqual([]);
    work.open();
    await expect(running).resolves.toBe('ran');
    await closed;
    expect(log).toEqual(['nested']);
  });

  it('aborts at drainTimeoutMs, and releases where the work then ends', async () => {
    const first = await startLeading({ drainTimeoutMs: 100 });
    const second = await start();
    await untilState(second.leader, 'follower');
    const running = first.jobs.run();
    await first.app.close();
    const signal = await running;
    expect(signal.reason).toBeInstanceOf(LeadershipLostError);
    expect(signal.reason).toMatchObject({ reason: 'shutdown' });
    expect(log[1]).toBe('aborted');
    // Long before the lease of ten seconds ends.
    await untilState(second.leader, 'leader');
  });

  it('leaves the lease to run out where work goes on regardless', async () => {
    const faulty = new FaultyStore(store);
    const first = await startLeading({ ...SHORT_LEASE, store: faulty, drainTimeoutMs: 100 });
    const second = await start(SHORT_LEASE);
    await untilState(second.leader, 'follower');
    const running = first.jobs.ignoresItsSignal();
    await first.app.close();
    expect(faulty.calls).not.toContain('release');
    expect(first.leader.state).toBe('stopped');
    expect(second.leader.isLeader).toBe(false);
    await untilState(second.leader, 'leader');
    work.open();
    await running;
    expect(first.events.all('runEnded')).toMatchObject([{ outlived: true }]);
  });

  it('with a drain time of 0 waits for nothing', async () => {
    const { app, jobs, leader } = await startLeading({ drainTimeoutMs: 0 });
    const running = jobs.run();
    await app.close();
    expect(leader.state).toBe('stopped');
    await running;
    expect(log[1]).toBe('aborted');
  });

  it('is not held up by work that calls close() itself, beyond its drain time', async () => {
    const { app, leader } = await startLeading({ drainTimeoutMs: 100 });
    await leader.runIfLeader(() => app.close());
    expect(leader.state).toBe('stopped');
  });

  it('J-07: a job that fails while its release fails throws its own error', async () => {
    const faulty = new FaultyStore(store);
    const { app, leader } = await startLeading({ store: faulty, drainTimeoutMs: 300 });
    const running = leader.runIfLeader(async () => {
      await work.passed;
      throw new Error('of the job');
    });
    faulty.affects = ['release'];
    faulty.health = 'down';
    const closed = app.close();
    work.open();
    await expect(running).rejects.toThrow('of the job');
    await closed;
    expect(faulty.calls).toContain('release');
  });
});

describe('shutdown', () => {
  it.each(['down', 'silent'] as const)(
    'J-07: ends soon and throws nothing where the store is %s',
    async (health) => {
      const faulty = new FaultyStore(store);
      const { app, leader } = await startLeading({ store: faulty, commandTimeoutMs: 100 });
      faulty.health = health;
      const startedAt = performance.now();
      await app.close();
      expect(leader.state).toBe('stopped');
      expect(performance.now() - startedAt).toBeLessThan(5_000);
    },
  );

  it('leaves no lease behind where it comes right after the start', async () => {
    const { app } = await start();
    await app.close();
    const next = await start();
    const startedAt = performance.now();
    await untilState(next.leader, 'leader');
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });

  it('N-15: twice at once and once more is one release', async () => {
    const faulty = new FaultyStore(store);
    const { app, leader, events } = await startLeading({ store: faulty });
    await Promise.all([app.close(), app.close()]);
    await app.close();
    expect(faulty.calls).toEqual(['acquire', 'release']);
    expect(events.all('ended')).toHaveLength(1);
    expect(leader.state).toBe('stopped');
  });

  it('J-17: of a follower says nothing of leadership', async () => {
    await startLeading();
    const { app, leader, events } = await start();
    await untilState(leader, 'follower');
    await app.close();
    expect(events.all('ended')).toEqual([]);
    expect(events.all('changed').map(({ change }) => change.isLeader)).not.toContain(true);
    expect(apps.logger.texts('log').filter((text) => text.includes('no longer'))).toEqual([]);
  });

  it('N-13: starts no guarded body after its lease is released, however slow another hook is', async () => {
    const slow = gate();
    class Ticking {
      @Interval(10)
      @OnlyLeader()
      tick() {
        log.push('tick');
      }
    }
    class Slow {
      async onModuleDestroy() {
        await slow.passed;
      }
      async onApplicationShutdown() {
        log.push('last hook');
        await slow.passed;
      }
    }
    const { app, leader, events } = await apps.start({
      election: { store },
      imports: [ScheduleModule.forRoot()],
      providers: [Ticking, Slow],
    });
    await untilState(leader, 'leader');
    const closed = app.close();
    // While another hook hangs it leads on.
    await events.next('runEnded');
    slow.open();
    const { election } = await events.first('ended');
    const runs = events.all('runStarted').length;
    await closed;
    expect(election).toBe('default');
    expect(events.all('runStarted')).toHaveLength(runs);
    expect(log.at(-1)).toBe('last hook');
  });

  it('N-13: runs a guarded hook of the shutdown on the leader, and skips it elsewhere without a throw', async () => {
    class Hooks {
      @OnlyLeader()
      async onModuleDestroy() {
        log.push('destroy');
      }
      @OnlyLeader()
      beforeApplicationShutdown() {
        log.push('before');
      }
    }
    const providers = [Hooks];
    const first = await apps.start({ election: { store }, providers });
    await untilState(first.leader, 'leader');
    const second = await apps.start({ election: { store }, providers });
    await untilState(second.leader, 'follower');
    await second.app.close();
    expect(log).toEqual([]);
    await first.app.close();
    expect(log).toEqual(['destroy', 'before']);
  });

  it('N-13: answers requests with 503 until the server is closed', async () => {
    @Controller('job')
    class Route {
      @Get()
      @OnlyLeader()
      run() {
        return 'ran';
      }
    }
    const { app, leader, url, events } = await apps.start({
      http: true,
      election: { store },
      controllers: [Route],
    });
    await untilState(leader, 'leader');
    const running = leader.runIfLeader(() => work.passed);
    const closed = app.close();
    await untilState(leader, 'draining');
    expect((await fetch(`${url}/job`)).status).toBe(503);
    expect(events.all('skipped')).toHaveLength(1);
    work.open();
    await Promise.all([closed, running]);
  });

  it('N-14: hands over at once, far sooner than the lease ends', async () => {
    const first = await startLeading();
    const second = await start();
    await untilState(second.leader, 'follower');
    await first.app.close();
    const closedAt = performance.now();
    await untilState(second.leader, 'leader');
    expect(performance.now() - closedAt).toBeLessThan(1_000);
  });

  it('ends leadership$ of a waiting subscriber, and never leads on the way out', async () => {
    const first = await startLeading();
    const second = await start();
    await untilState(second.leader, 'follower');
    await Promise.all([second.app.close(), first.app.close()]);
    expect(second.events.all('granted')).toEqual([]);
    expect(second.leader.state).toBe('stopped');
  });
});

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
