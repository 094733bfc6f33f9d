import { beforeEach, describe, expect, it } from '@jest/globals';
import { Inject } from '@nestjs/common';

import {
  InjectLeader,
  InMemoryLeaseStore,
  isNotLeaderException,
  LeaderElectionModule,
  LeaderService,
  type LeadershipChange,
  LeadershipLostError,
  NoLeaderRunError,
  OnlyLeader,
} from '../../lib/index.js';
import { awaitUntil } from '../support/await-until.js';
import { useApps } from '../support/nest/apps.js';
import { FaultyStore } from '../support/nest/faulty-store.js';
import { gate, untilState } from '../support/nest/leadership.js';
import { Rival } from '../support/nest/rival.js';

const apps = useApps();
let store: InMemoryLeaseStore;

beforeEach(() => {
  store = new InMemoryLeaseStore();
});

class Jobs {
  constructor(
    @Inject(LeaderService) readonly leader: LeaderService,
    @InjectLeader('reports') readonly reports: LeaderService,
  ) {}

  @OnlyLeader()
  run<T>(work: () => T): T {
    return work();
  }

  @OnlyLeader('reports')
  report<T>(work: () => T): T {
    return work();
  }
}

/** Renewals so frequent that a lease which was taken away is noticed soon. */
const QUICK = { leaseTtlMs: 3_000, renewIntervalMs: 100 };

async function start(election = {}) {
  const started = await apps.start({
    election: { store, ...election },
    imports: [LeaderElectionModule.forFeature('reports')],
    providers: [Jobs],
  });
  return { ...started, jobs: started.app.get(Jobs) };
}

async function startLeading(election = {}) {
  const started = await start(election);
  await untilState(started.leader, 'leader');
  return started;
}

describe('what it says', () => {
  it('who leads, with which epoch, on the leader and on a follower', async () => {
    const metadata = { url: 'http://10.0.0.1' };
    const first = await startLeading({ nodeId: 'pod-1', metadata });
    const { epoch } = first.leader;
    expect(first.leader).toMatchObject({ isLeader: true, state: 'leader', nodeId: 'pod-1' });
    expect(epoch).toEqual(expect.any(Number));
    expect(first.leader.leader).toEqual({ nodeId: 'pod-1', epoch, metadata });

    const second = await start({ nodeId: 'pod-2' });
    await untilState(second.leader, 'follower');
    expect(second.leader).toMatchObject({ isLeader: false, epoch: null, nodeId: 'pod-2' });
    expect(second.leader.leader).toEqual({ nodeId: 'pod-1', epoch, metadata });
  });

  it('O-08: whether an epoch is still that of a leadership here', async () => {
    const { leader } = await startLeading();
    const epoch = leader.epoch ?? NaN;
    expect([leader.isCurrent(epoch), leader.isCurrent(epoch + 1)]).toEqual([true, false]);
    await leader.stepDown({ cooldownMs: 0 });
    await untilState(leader, 'leader');
    expect(leader.epoch).toBeGreaterThan(epoch);
    expect(leader.isCurrent(epoch)).toBe(false);
  });

  it('nothing of leadership where it only watches, though it sees who leads', async () => {
    await Rival.leads(store);
    const { leader } = await start({ campaign: false });
    await untilState(leader, 'follower');
    await awaitUntil(() => leader.leader !== null, { what: 'it sees who leads' });
    expect(leader.leader?.nodeId).toBe('node-rival');
  });
});

describe('leadership$', () => {
  it('emits the present value, then each change once after it has happened, and completes', async () => {
    const { leader, app, jobs } = await start();
    const seen: string[] = [];
    const completed = new Promise<void>((resolve) => {
      leader.leadership$.subscribe({
        next: ({ state, isLeader, epoch }) => {
          expect([state, isLeader, epoch]).toEqual([leader.state, leader.isLeader, leader.epoch]);
          seen.push(state);
        },
        complete: resolve,
      });
    });
    await untilState(leader, 'leader');
    await leader.stepDown({ cooldownMs: 0 });
    await untilState(leader, 'leader');
    await untilState(jobs.reports, 'leader');
    await app.close();
    await completed;
    for (let index = 1; index < seen.length; index += 1) {
      expect(seen[index]).not.toBe(seen[index - 1]);
    }
    expect(seen.filter((state) => state === 'leader')).toHaveLength(2);
    expect(seen.at(-1)).toBe('stopped');
    const late: LeadershipChange[] = [];
    let lateCompleted = false;
    leader.leadership$.subscribe({
      next: (change) => late.push(change),
      complete: () => (lateCompleted = true),
    });
    expect(late).toMatchObject([{ state: 'stopped', isLeader: false, epoch: null }]);
    expect(lateCompleted).toBe(true);
  });

  it('misses no change that a subscriber causes while it is told the present value', async () => {
    const { leader } = await startLeading();
    const seen: string[] = [];
    leader.leadership$.subscribe(({ state }) => {
      seen.push(state);
      if (state === 'leader') void leader.stepDown({ cooldownMs: 60_000 });
    });
    await untilState(leader, 'candidate');
    expect(seen).toEqual(['leader', 'draining', 'candidate']);
  });

  it.each([
    ['released', (leader: LeaderService): Promise<unknown> => leader.stepDown()],
    ['taken', (leader: LeaderService): Promise<unknown> => Rival.usurps(store, leader.epoch ?? 0)],
  ] as const)('O-02: says that leadership ended since it was %s', async (reason, end) => {
    const { leader, events } = await startLeading(QUICK);
    await end(leader);
    await expect(events.first('ended')).resolves.toMatchObject({
      reason,
      epoch: expect.any(Number),
    });
  });

  it('O-02: says that it was shut down, and nothing of a loss where it never led', async () => {
    const first = await startLeading();
    const second = await start();
    await untilState(second.leader, 'follower');
    await second.app.close();
    expect(second.events.all('ended')).toEqual([]);
    await first.app.close();
    expect(first.events.all('ended')).toMatchObject([
      { election: 'default', reason: 'shutdown' },
      { election: 'reports', reason: 'shutdown' },
    ]);
  });

  it('O-02 O-04: tells a store that is gone from another leader', async () => {
    const faulty = new FaultyStore(store);
    const { leader, events } = await startLeading({ store: faulty, leaseTtlMs: 600 });
    faulty.health = 'down';
    const ended = events.first('ended', ({ election }) => election === 'default');
    await expect(ended).resolves.toMatchObject({ reason: 'store-lost' });
    await untilState(leader, 'candidate');
    expect(leader.leader).toBeNull();

    await awaitUntil(() => Rival.leads(store).then(isTrue, isFalse), { what: 'the lease ends' });
    faulty.health = 'up';
    await untilState(leader, 'follower');
    expect(leader.leader?.nodeId).toBe('node-rival');
  });
});

describe('current()', () => {
  it('throws outside of leader-only work, and says where to call it', async () => {
    const { leader } = await startLeading();
    expect(() => leader.current()).toThrow(NoLeaderRunError);
    expect(() => leader.current()).toThrow(
      'current() was called outside of leader-only work of election "default". Call it in a method with @OnlyLeader() ' +
        'or inside runIfLeader()',
    );
  });

  it('is pinned through awaits, also to a leadership that is over and won again', async () => {
    const { leader, jobs, events } = await startLeading(QUICK);
    const first = leader.epoch;
    const won = gate();
    const outlived = jobs.run(async () => {
      const { signal, epoch } = leader.current();
      expect(epoch).toBe(first);
      const aborted = new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve(signal.reason));
      });
      void Rival.usurps(store, epoch).then((rival) => aborted.then(() => rival.letsGo()));
      const why = await aborted;
      await won.passed;
      return {
        why,
        epoch: leader.epoch,
        current: leader.current(),
        isLeader: leader.isLeader,
        nested: leader.runIfLeader(() => 'ran'),
        verified: await leader.verify(),
        whenLeader: await leader.whenLeader().catch(isNotLeaderException),
      };
    });
    const regained = await events.first(
      'granted',
      ({ election, epoch }) => election === 'default' && epoch !== first,
    );
    const second = leader.epoch;
    expect(second).toBe(regained.epoch);
    won.open();
    const seen = await outlived;
    expect(seen.why).toBeInstanceOf(LeadershipLostError);
    expect(seen.why).toMatchObject({ reason: 'taken', epoch: first });
    expect(seen).toMatchObject({
      epoch: first,
      isLeader: false,
      nested: undefined,
      verified: false,
      whenLeader: true,
    });
    expect(seen.current).toMatchObject({ epoch: first, isCurrent: false });
    expect(second).toBeGreaterThan(first ?? NaN);
    expect(leader.isLeader).toBe(true);
  });

  it('holds also for what a run leaves behind without awaiting it', async () => {
    const { leader, jobs } = await startLeading();
    const first = leader.epoch;
    const regained = gate();
    const left = jobs.run(() => ({
      behind: regained.passed.then(() => {
        expect([leader.state, leader.isLeader, leader.epoch]).toEqual(['leader', false, first]);
        return jobs.run(() => 'ran');
      }),
    }));
    await leader.stepDown({ cooldownMs: 0 });
    await untilState(leader, 'leader');
    regained.open();
    await expect(left.behind).rejects.toThrow(
      `the leadership that this work began under, epoch ${first}, is over`,
    );
  });

  it('T-01: does not spread to the next leadership, though the run was the first to notice the end', async () => {
    const { leader, jobs } = await startLeading({ leaseTtlMs: 400 });
    const seen: [state: string, isLeader: boolean, ran: string | undefined][] = [];
    leader.leadership$.subscribe(({ state }) => {
      seen.push([state, leader.isLeader, leader.runIfLeader(() => 'ran')]);
    });
    jobs.run(() => {
      const until = performance.now() + 500;
      while (performance.now() < until);
      // T-01: known at once, though no timer could fire meanwhile.
      expect(leader.isLeader).toBe(false);
      expect(() => jobs.run(() => 'ran')).toThrow('Not the leader');
      // This makes the candidate go on to its next campaign.
      leader.leadership$.subscribe().unsubscribe();
    });
    await untilState(leader, 'leader');
    expect(seen[0]).toEqual(['leader', true, 'ran']);
    expect(seen.at(-1)).toEqual(['leader', true, 'ran']);
    expect(seen.length).toBeGreaterThan(1);
  });

  it('keeps the runs of two elections apart, one nested in the other', async () => {
    const { jobs } = await startLeading();
    await untilState(jobs.reports, 'leader');
    const { leader, reports } = jobs;
    await jobs.run(() =>
      jobs.report(async () => {
        await Promise.resolve();
        expect(leader.current()).toMatchObject({ election: 'default', epoch: leader.epoch });
        expect(reports.current()).toMatchObject({ election: 'reports', epoch: reports.epoch });
      }),
    );
    jobs.run(() => expect(() => reports.current()).toThrow('of election "reports"'));
  });

  it('does not run the inner work where only the outer election is led', async () => {
    await Rival.leads(store, 'reports');
    const { jobs } = await startLeading();
    await untilState(jobs.reports, 'follower');
    expect(() => jobs.run(() => jobs.report(() => 'ran'))).toThrow('of election "reports"');
  });
});

describe('runIfLeader()', () => {
  it('N-10: runs on the leader and hands on what the work returns, and does nothing elsewhere', async () => {
    const rival = await Rival.leads(store);
    const { leader, events } = await start();
    await untilState(leader, 'follower');
    expect(leader.runIfLeader(() => 'ran')).toBeUndefined();
    expect(events.all('skipped')).toEqual([
      { election: 'default', handler: null, outcome: 'skip' },
    ]);
    await rival.letsGo();
    await untilState(leader, 'leader');
    expect(leader.runIfLeader(({ epoch }) => epoch)).toBe(leader.epoch);
    await expect(leader.runIfLeader(async () => 'ran')).resolves.toBe('ran');
    const failing = () =>
      leader.runIfLeader(() => {
        throw new Error('of the job');
      });
    expect(failing).toThrow('of the job');
  });
});

describe('whenLeader()', () => {
  it('resolves at once on the leader, and when it is won elsewhere', async () => {
    const rival = await Rival.leads(store);
    const { leader } = await start();
    await untilState(leader, 'follower');
    const waiting = leader.whenLeader();
    await rival.letsGo();
    const won = await waiting;
    expect(won).toMatchObject({ epoch: leader.epoch, isCurrent: true, election: 'default' });
    await expect(leader.whenLeader()).resolves.toMatchObject({ epoch: won.epoch });
  });

  it('rejects with the reason of its signal, before and while it waits', async () => {
    await Rival.leads(store);
    const { leader } = await start();
    const reason = new Error('enough');
    await expect(leader.whenLeader({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const controller = new AbortController();
    const waiting = leader.whenLeader({ signal: controller.signal });
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
  });

  it('rejects when the application shuts down, before and after', async () => {
    await Rival.leads(store);
    const { leader, app } = await start();
    const waiting = leader.whenLeader().catch(isNotLeaderException);
    await app.close();
    await expect(waiting).resolves.toBe(true);
    await expect(leader.whenLeader().catch(isNotLeaderException)).resolves.toBe(true);
  });

  it('L-19: may be awaited in a bootstrap hook', async () => {
    class Waiting {
      epoch: number | null = null;
      constructor(@Inject(LeaderService) private readonly leader: LeaderService) {}
      async onApplicationBootstrap() {
        const { epoch } = await this.leader.whenLeader();
        this.epoch = epoch;
      }
    }
    const { app, leader } = await apps.start({ election: { store }, providers: [Waiting] });
    expect(app.get(Waiting).epoch).toBe(leader.epoch);
  });
});

describe('verify()', () => {
  it('asks the store: true on the leader, false elsewhere', async () => {
    const first = await startLeading();
    const second = await start();
    await untilState(second.leader, 'follower');
    await expect(first.leader.verify()).resolves.toBe(true);
    await expect(first.jobs.run(() => first.leader.verify())).resolves.toBe(true);
    await expect(second.leader.verify()).resolves.toBe(false);
  });

  it('is false, and ends the leadership, where another has taken the lease meanwhile', async () => {
    const { leader } = await startLeading();
    await Rival.usurps(store, leader.epoch ?? 0);
    expect(leader.isLeader).toBe(true);
    await expect(leader.verify()).resolves.toBe(false);
    expect(leader.isLeader).toBe(false);
  });

  it.each(['down', 'silent'] as const)(
    'is false where the store is %s, and ends nothing',
    async (health) => {
      const faulty = new FaultyStore(store);
      const { leader } = await startLeading({ store: faulty, commandTimeoutMs: 100 });
      faulty.health = health;
      await expect(leader.verify()).resolves.toBe(false);
      expect(leader.isLeader).toBe(true);
      faulty.health = 'up';
      await expect(leader.verify()).resolves.toBe(true);
    },
  );
});

describe('stepDown()', () => {
  it('O-05: frees the lease for another, and stays out for the cooldown', async () => {
    const first = await startLeading();
    const second = await start();
    await untilState(second.leader, 'follower');
    await first.leader.stepDown({ cooldownMs: 60_000 });
    expect(first.leader.isLeader).toBe(false);
    await untilState(second.leader, 'leader');
    await second.leader.stepDown({ cooldownMs: 0 });
    // The first one is still out, so that the second wins again.
    await untilState(second.leader, 'leader');
    expect(first.events.all('granted').filter(ofDefault)).toHaveLength(1);
  });

  it('O-05: keeps a follower from winning, too', async () => {
    const rival = await Rival.leads(store);
    const { leader, events } = await start();
    await untilState(leader, 'follower');
    await leader.stepDown({ cooldownMs: 400 });
    const steppedAt = performance.now();
    await rival.letsGo();
    await untilState(leader, 'leader');
    // Timers may be a millisecond early.
    expect(performance.now() - steppedAt).toBeGreaterThan(390);
    expect(events.all('granted').filter(ofDefault)).toHaveLength(1);
  });

  it('wins again after the cooldown where there is nobody else', async () => {
    const { leader } = await startLeading();
    const { epoch } = leader;
    await leader.stepDown({ cooldownMs: 50 });
    expect(leader.epoch).toBeNull();
    await untilState(leader, 'leader');
    expect(leader.epoch).toBeGreaterThan(epoch ?? NaN);
  });

  it('waits for running work, which still leads meanwhile, and admits no other', async () => {
    const { leader, jobs } = await startLeading();
    const work = gate();
    const log: string[] = [];
    const running = jobs.run(async () => {
      await work.passed;
      log.push(`work ends: ${leader.isLeader}, ${leader.state}`);
      return jobs.run(() => log.push('nested'));
    });
    const steppedDown = leader.stepDown().then(() => log.push('stepped down'));
    expect(leader).toMatchObject({ state: 'draining', isLeader: false });
    expect(() => jobs.run(() => log.push('new work'))).toThrow('Not the leader');
    expect(leader.runIfLeader(() => log.push('new work'))).toBeUndefined();
    await awaitTurn();
    expect(log).toEqual([]);
    work.open();
    await Promise.all([running, steppedDown]);
    expect(log).toEqual(['work ends: true, draining', 'nested', 'stepped down']);
  });

  it('resolves at once inside of the work that it cannot wait for', async () => {
    const { leader, jobs, events } = await startLeading();
    const inside = await jobs.run(async () => {
      await leader.stepDown({ cooldownMs: 60_000 });
      return { isLeader: leader.isLeader, state: leader.state };
    });
    expect(inside).toEqual({ isLeader: true, state: 'draining' });
    await expect(events.first('ended', ofDefault)).resolves.toMatchObject({ reason: 'released' });
  });

  it.each([-1, NaN, Infinity])('refuses a cooldown of %p', async (cooldownMs) => {
    const { leader } = await startLeading();
    await expect(leader.stepDown({ cooldownMs })).rejects.toThrow(
      `stepDown(): expected \`cooldownMs\` to be a number of milliseconds from 0, got \`${cooldownMs}\`.`,
    );
    expect(leader.isLeader).toBe(true);
  });
});

function ofDefault({ election }: { election: string }): boolean {
  return election === 'default';
}

function isTrue(): boolean {
  return true;
}

function isFalse(): boolean {
  return false;
}

/** All that is due in this turn of the event loop has happened. */
function awaitTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
