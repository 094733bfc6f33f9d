/** What a recorder tells of two applications that share a store, and that the checker finds nothing wrong with it. */
import { afterEach, describe, expect, it } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { Test } from '@nestjs/testing';

import {
  checkHistory,
  type ElectionListener,
  getLeaderToken,
  type HistoryEvent,
  historyRecorder,
  InMemoryLeaseStore,
  LeaderElectionModule,
  LeaderService,
  LeaseStoreError,
  recordBelief,
  sharedNowMs,
} from '../../../lib/index.js';
import { awaitUntil } from '../../support/await-until.js';

const history: HistoryEvent[] = [];
const apps: INestApplicationContext[] = [];

const record = (event: HistoryEvent): void => void history.push(event);

async function start(node: string, store: InMemoryLeaseStore, drainTimeoutMs = 1000) {
  const events = historyRecorder(node, record);
  const module = await Test.createTestingModule({
    imports: [LeaderElectionModule.forRoot({ store, nodeId: node, drainTimeoutMs, events })],
  }).compile();
  const app = await module.init();
  apps.push(app);
  const leader = app.get(LeaderService);
  recordBelief(node, leader, record);
  return { app, leader };
}

function kindsOf(node: string): readonly string[] {
  const kinds = history.filter((event) => event.node === node).map(({ kind }) => kind);
  return kinds.filter((kind, index) => kind !== kinds[index - 1]);
}

describe('a history recorder', () => {
  afterEach(async () => {
    await Promise.all(apps.map((app) => app.close()));
    apps.length = 0;
    history.length = 0;
  });

  it('tells of grants, changes, runs, beliefs and ends, as plain JSON', async () => {
    const store = new InMemoryLeaseStore();
    const a = await start('a', store);
    await a.leader.whenLeader();
    const b = await start('b', store);
    a.leader.runIfLeader(() => undefined);
    await awaitUntil(() => history.some(({ kind }) => kind === 'belief'), {
      timeoutMs: 5000,
      what: 'a belief is told while it goes on',
    });
    const closedAt = sharedNowMs();
    await a.app.close();
    await b.leader.whenLeader();
    await b.app.close();

    expect(kindsOf('a')).toEqual([
      'changed',
      'granted',
      'changed',
      'run',
      'belief',
      'changed',
      'belief',
      'ended',
      'changed',
    ]);
    const sent = JSON.parse(JSON.stringify(history)) as readonly HistoryEvent[];
    const ledWithin = [{ after: closedAt, withinMs: 2000, except: 'a' }];
    const expected = { ledWithin, gracefulHandOverMs: 2000 };
    expect(checkHistory(sent, expected)).toEqual([]);
    const withoutB = sent.filter(({ node }) => node === 'a');
    const late = [...withoutB, { kind: 'gone', node: 'a', at: closedAt + 9000 } as const];
    expect(checkHistory(late, expected).map(({ rule }) => rule)).toEqual([
      'led-in-time',
      'handed-over-in-time',
    ]);
  });

  it('tells of a lease that was not given back, since work went on or the store did not answer', async () => {
    const a = await start('a', new InMemoryLeaseStore(), 10);
    await a.leader.whenLeader();
    const working = a.leader.runIfLeader(() => new Promise((resolve) => setTimeout(resolve, 300)));
    await a.app.close();
    expect(kindsOf('a')).toContain('unreleased');
    await working;

    const events = historyRecorder('b', (event) => history.push(event), { now: () => 7 });
    const error = new LeaseStoreError('unreachable', 'For the test.');
    events.storeFailed?.({ election: 'default', operation: 'renew', error });
    expect(kindsOf('b')).toEqual([]);
    events.storeFailed?.({ election: 'default', operation: 'release', error });
    expect(history.at(-1)).toEqual({ kind: 'unreleased', node: 'b', at: 7 });
  });

  it('records one election: the one that is named, or the first, and then says that there is another', async () => {
    const named = historyRecorder('c', record, { election: 'reports', now: () => 7 });
    const unnamed = historyRecorder('d', record, { now: () => 7 });
    const told: unknown[] = [];
    const events: ElectionListener = {
      granted: (event) => {
        named.granted?.(event);
        try {
          unnamed.granted?.(event);
        } catch (error) {
          told.push(error);
        }
      },
    };
    const store = new InMemoryLeaseStore();
    const module = await Test.createTestingModule({
      imports: [
        LeaderElectionModule.forRoot({ store, events }),
        LeaderElectionModule.forFeature('reports'),
      ],
    }).compile();
    apps.push(await module.init());
    await module.get(LeaderService).whenLeader();
    await module.get<LeaderService>(getLeaderToken('reports')).whenLeader();

    expect(kindsOf('c')).toEqual(['granted']);
    expect(kindsOf('d')).toEqual(['granted']);
    expect(history).toHaveLength(2);
    expect(told).toEqual([
      new Error(
        'historyRecorder hears of the elections "default" and "reports": name one with { election }.',
      ),
    ]);
  });

  it('stops looking when it is told to', async () => {
    const a = await start('a', new InMemoryLeaseStore());
    await a.leader.whenLeader();
    const beliefs: HistoryEvent[] = [];
    const stop = recordBelief('c', a.leader, (event) => beliefs.push(event));
    stop();
    expect(beliefs).toMatchObject([{ kind: 'belief', node: 'c', open: false }]);
    await a.app.close();
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(beliefs).toHaveLength(1);
  });
});
