/** What those who call a guarded method may rely on, on the leader and elsewhere. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { Interval, ScheduleModule } from '@nestjs/schedule';

import { InMemoryLeaseStore, isNotLeaderException, OnlyLeader } from '../../lib/index.js';
import { awaitUntil } from '../support/await-until.js';
import { useApps } from '../support/nest/apps.js';
import { untilState } from '../support/nest/leadership.js';

/** A decorator such as people write: it wraps the method, keeps no metadata, and here counts the calls. */
function Counted(): MethodDecorator {
  return (_target, _key, descriptor) => {
    const original = descriptor.value as unknown as (...args: unknown[]) => unknown;
    const wrapper = function counted(this: Jobs, ...args: unknown[]): unknown {
      this.calls += 1;
      return original.apply(this, args);
    };
    descriptor.value = wrapper as unknown as NonNullable<typeof descriptor.value>;
  };
}

@Injectable()
class Jobs {
  runs = 0;
  calls = 0;

  @OnlyLeader()
  async charge(): Promise<string> {
    this.runs += 1;
    return 'charged';
  }

  @OnlyLeader({ otherwise: 'skip' })
  async refresh(): Promise<string | undefined> {
    this.runs += 1;
    return 'refreshed';
  }

  @OnlyLeader()
  read(): string {
    this.runs += 1;
    return 'read';
  }

  @Interval(20)
  @Counted()
  @OnlyLeader()
  tick(): void {
    this.runs += 1;
  }
}

describe('a guarded method on an instance that does not lead', () => {
  const apps = useApps();
  let jobs: Jobs;

  beforeEach(async () => {
    const store = new InMemoryLeaseStore();
    const leading = await apps.start({ election: { store } });
    await untilState(leading.leader, 'leader');
    const following = await apps.start({
      election: { store },
      imports: [ScheduleModule.forRoot()],
      providers: [Jobs],
    });
    await untilState(following.leader, 'follower');
    jobs = following.app.get(Jobs);
    jobs.calls = 0;
  });

  it('N-04: rejects where it is async, as its callers expect of a promise', async () => {
    const error: unknown = await jobs.charge().catch((caught: unknown) => caught);
    expect(isNotLeaderException(error)).toBe(true);
  });

  it('N-04: resolves to undefined where it is async and skipped', async () => {
    await expect(jobs.refresh().then((value) => value)).resolves.toBeUndefined();
  });

  it('N-04: throws at once where it is synchronous', () => {
    expect(() => jobs.read()).toThrow('Not the leader of election');
  });

  it('J-08: is skipped without an error where other wrappers stand between it and @Interval', async () => {
    await awaitUntil(() => jobs.calls >= 3, { what: 'three ticks' });
    expect(jobs.runs).toBe(0);
    expect(apps.logger.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });
});
