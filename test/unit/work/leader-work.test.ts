import { describe, expect, it } from '@jest/globals';
import {
  defer,
  firstValueFrom,
  from,
  lastValueFrom,
  Observable,
  of,
  Subject,
  throwError,
} from 'rxjs';

import { isNotLeaderException } from '../../../lib/index.js';
import { gate } from '../../support/nest/leadership.js';
import { leadership, leaderWork } from './fixtures.js';

describe('what a run returns', () => {
  it('N-04: is a value at once where the work is synchronous', () => {
    const { work } = leaderWork();
    expect(work.run(leadership(), null, () => 42)).toBe(42);
    expect(work.run(leadership(), null, () => undefined)).toBeUndefined();
    const list = [1];
    expect(work.run(leadership(), null, () => list)).toBe(list);
  });

  it('J-08: is what the work throws, unchanged', async () => {
    const { work, events } = leaderWork();
    const error = new Error('of the job');
    expect(() =>
      work.run(leadership(), 'Jobs.run', () => {
        throw error;
      }),
    ).toThrow(error);
    await expect(work.run(leadership(), null, async () => Promise.reject(error))).rejects.toBe(
      error,
    );
    // oxlint-disable-next-line prefer-promise-reject-errors -- what a careless job does
    await expect(work.run(leadership(), null, () => Promise.reject(undefined))).rejects.toBe(
      undefined,
    );
    expect(events.all('runEnded')).toMatchObject([
      { handler: 'Jobs.run', failed: true },
      { failed: true },
      { failed: true },
    ]);
  });

  it('N-04: is a generator that was not started', () => {
    const { work } = leaderWork();
    expect([...work.run(leadership(), null, numbers)]).toEqual([1, 2]);
  });

  it('N-04: is an async generator as it is', async () => {
    const { work } = leaderWork();
    const returned = work.run(leadership(), null, laterNumbers);
    await expect(returned.next()).resolves.toEqual({ done: false, value: 1 });
  });

  it('starts a lazy query once, inside the run', async () => {
    const { work, events } = leaderWork();
    const under = leadership(7);
    const query = lazyQuery(() => work.pinned?.epoch);
    const returned = work.run(under, null, () => query);
    await expect(returned).resolves.toBe(7);
    await returned;
    expect(query.started).toBe(1);
    expect(events.all('runEnded')).toHaveLength(1);
  });

  it('starts a lazy query of an async method once, inside the run', async () => {
    const { work } = leaderWork();
    const query = lazyQuery(() => work.pinned?.epoch);
    // oxlint-disable-next-line await-thenable -- the query is one
    await expect(work.run(leadership(7), null, async () => await query)).resolves.toBe(7);
    expect(query.started).toBe(1);
  });

  it('counts a lazy query as running until it settles', async () => {
    const { work } = leaderWork();
    const under = leadership();
    const answered = gate<string>();
    const returned = work.run(under, null, () => lazyQuery(() => answered.passed));
    let idle = false;
    const drained = work.idle(under).then(() => (idle = true));
    await settled();
    expect(idle).toBe(false);
    answered.open('rows');
    await expect(returned).resolves.toBe('rows');
    await drained;
  });
});

describe('idle', () => {
  it('resolves at once where nothing runs', async () => {
    await expect(leaderWork().work.idle(leadership())).resolves.toBeUndefined();
  });

  it('waits for the last run of that leadership, and for no other', async () => {
    const { work } = leaderWork();
    const [first, second] = [leadership(1), leadership(2)];
    const gates = [gate(), gate(), gate()] as const;
    const runs = [
      work.run(first, null, () => gates[0].passed),
      work.run(first, null, () => gates[1].passed),
      work.run(second, null, () => gates[2].passed),
    ];
    const ended: string[] = [];
    const waiting = [
      work.idle(first).then(() => ended.push('first')),
      work.idle(first).then(() => ended.push('first, asked twice')),
      work.idle(second).then(() => ended.push('second')),
    ];

    gates[0].open();
    await settled();
    expect(ended).toEqual([]);
    gates[1].open();
    await Promise.all(waiting.slice(0, 2));
    expect(ended).toEqual(['first', 'first, asked twice']);
    gates[2].open();
    await Promise.all([...waiting, ...runs]);
    expect(ended).toContain('second');
  });

  it('waits for a run that fails, too', async () => {
    const { work } = leaderWork();
    const under = leadership();
    const failing = work.run(under, null, async () => {
      await settled();
      throw new Error('of the job');
    });
    await Promise.all([work.idle(under), expect(failing).rejects.toThrow('of the job')]);
  });

  it('waits for what is nested in a run that has returned', async () => {
    const { work } = leaderWork();
    const under = leadership();
    const inner = gate();
    let nested: Promise<void> | undefined;
    work.run(under, null, () => {
      nested = work.run(under, null, () => inner.passed);
    });
    let idle = false;
    const drained = work.idle(under).then(() => (idle = true));
    await settled();
    expect(idle).toBe(false);
    inner.open();
    await Promise.all([drained, nested]);
  });
});

describe('the leadership of a run', () => {
  it('is pinned through awaits, timers and nested calls, and nowhere else', async () => {
    const { work } = leaderWork();
    const under = leadership(3);
    expect(work.pinned).toBeUndefined();
    await work.run(under, null, async () => {
      await settled();
      expect(work.pinned).toBe(under);
      await new Promise((resolve) => setTimeout(resolve, 1));
      expect(work.pinned).toBe(under);
      await Promise.all([1, 2].map(async () => expect(work.pinned).toBe(under)));
    });
    expect(work.pinned).toBeUndefined();
  });

  it('stays pinned after it has ended', async () => {
    const { work, events } = leaderWork();
    const under = leadership(3);
    await work.run(under, null, async () => {
      under.end('taken');
      await settled();
      expect(work.pinned?.epoch).toBe(3);
      expect(work.pinned?.isValid).toBe(false);
    });
    expect(events.all('runEnded')).toMatchObject([{ outlived: true, failed: false }]);
  });

  it('is kept apart from that of another election', async () => {
    const first = leaderWork();
    const second = leaderWork(first.context, 'reports');
    const [main, reports] = [leadership(1), leadership(9, 'reports')];
    await first.work.run(main, null, () =>
      second.work.run(reports, null, async () => {
        await settled();
        expect(first.work.pinned).toBe(main);
        expect(second.work.pinned).toBe(reports);
      }),
    );
    first.work.run(main, null, () => expect(second.work.pinned).toBeUndefined());
  });
});

describe('an Observable that a run returns', () => {
  it('N-04: subscribes under the pinned leadership, at each subscription', async () => {
    const { work, events } = leaderWork();
    let subscriptions = 0;
    const returned = work.run(leadership(5), 'Jobs.stream', () =>
      defer(() => {
        subscriptions += 1;
        return of(work.pinned?.epoch);
      }),
    );
    expect(returned).toBeInstanceOf(Observable);
    expect(subscriptions).toBe(0);
    await expect(lastValueFrom(returned)).resolves.toBe(5);
    await expect(lastValueFrom(returned)).resolves.toBe(5);
    expect(subscriptions).toBe(2);
    // The call itself, and the two subscriptions.
    expect(events.all('runStarted')).toHaveLength(3);
    expect(events.all('runEnded')).toHaveLength(3);
  });

  it.each([
    ['completes', (source: Subject<number>) => source.complete()],
    ['fails', (source: Subject<number>) => source.error(new Error('of the stream'))],
  ])('is running until it %s', async (_how, end) => {
    const { work } = leaderWork();
    const under = leadership();
    const source = new Subject<number>();
    const received: unknown[] = [];
    work
      .run(under, null, () => source.asObservable())
      .subscribe({ next: (value) => received.push(value), error: () => received.push('error') });
    source.next(1);
    let idle = false;
    const drained = work.idle(under).then(() => (idle = true));
    await settled();
    expect(idle).toBe(false);
    end(source);
    await drained;
    expect(received[0]).toBe(1);
  });

  it('is running until it is unsubscribed from', async () => {
    const { work } = leaderWork();
    const under = leadership();
    const source = new Subject<number>();
    const subscription = work.run(under, null, () => source.asObservable()).subscribe();
    expect(source.observed).toBe(true);
    subscription.unsubscribe();
    expect(source.observed).toBe(false);
    await work.idle(under);
  });

  it('fails when the leadership ends, since a stream without an end must not outlive it', async () => {
    const { work } = leaderWork();
    const under = leadership(5);
    const source = new Subject<number>();
    const received = lastValueFrom(work.run(under, null, () => source.asObservable()));
    source.next(1);
    under.end('taken');
    await expect(received).rejects.toMatchObject({ name: 'LeadershipLostError', epoch: 5 });
    expect(source.observed).toBe(false);
    await work.idle(under);
  });

  it('is refused when it is subscribed to after the leadership has ended', async () => {
    const { work } = leaderWork();
    const under = leadership();
    let subscribed = false;
    const returned = work.run(under, null, () => defer(() => ((subscribed = true), of(1))));
    under.end('expired');
    const error: unknown = await lastValueFrom(returned).catch((caught: unknown) => caught);
    expect(isNotLeaderException(error)).toBe(true);
    expect(subscribed).toBe(false);
  });

  it('is guarded the same where it is promised', async () => {
    const { work, events } = leaderWork();
    const under = leadership(5);
    const returned = work.run(under, null, async () => defer(() => of(work.pinned?.epoch)));
    const stream = await returned;
    await expect(firstValueFrom(stream)).resolves.toBe(5);
    expect(events.all('runEnded')).toHaveLength(2);
    under.end('taken');
    await expect(firstValueFrom(stream)).rejects.toThrow('Not the leader');
  });

  it('passes its errors on, and counts them', async () => {
    const { work, events } = leaderWork();
    const failing = work.run(leadership(), null, () =>
      throwError(() => new Error('of the stream')),
    );
    await expect(lastValueFrom(failing)).rejects.toThrow('of the stream');
    expect(events.all('runEnded').map(({ failed }) => failed)).toEqual([false, true]);
  });

  it('passes on what comes later, with the same leadership', async () => {
    const { work } = leaderWork();
    const stream = work.run(leadership(5), null, () =>
      from([1, 2]).pipe(
        (source) =>
          new Observable<unknown>((subscriber) => {
            const timer = setTimeout(() => {
              subscriber.next(work.pinned?.epoch);
              subscriber.complete();
            }, 1);
            const inner = source.subscribe();
            return () => {
              inner.unsubscribe();
              clearTimeout(timer);
            };
          }),
      ),
    );
    await expect(lastValueFrom(stream)).resolves.toBe(5);
  });
});

function* numbers() {
  yield 1;
  yield 2;
}

async function* laterNumbers() {
  yield 1;
}

/** As knex and its kin: nothing happens until somebody calls `then`. */
function lazyQuery<T>(run: () => T | Promise<T>) {
  const query = {
    started: 0,
    // oxlint-disable-next-line unicorn/no-thenable -- that is what it is about
    then<R>(resolve: (value: T) => R, reject?: (error: unknown) => R): Promise<R> {
      query.started += 1;
      return Promise.resolve(run()).then(resolve, reject);
    },
  };
  return query;
}

/** All that is due in this turn of the event loop has happened. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
