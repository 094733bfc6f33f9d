import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  type ArgumentMetadata,
  Body,
  type CallHandler,
  Controller,
  type ExecutionContext,
  Get,
  Header,
  HttpCode,
  Injectable,
  Param,
  ParseIntPipe,
  type PipeTransform,
  Post,
  Query,
  Sse,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { map, of, type Observable } from 'rxjs';

import {
  InMemoryLeaseStore,
  LeaderElectionModule,
  LeaderGuard,
  OnlyLeader,
} from '../../lib/index.js';
import { useApps } from '../support/nest/apps.js';
import { untilState } from '../support/nest/leadership.js';
import { Rival } from '../support/nest/rival.js';

const apps = useApps();
let store: InMemoryLeaseStore;
let log: string[];

beforeEach(() => {
  store = new InMemoryLeaseStore();
  log = [];
});

@Injectable()
class LoggingPipe implements PipeTransform<string> {
  transform(value: string, { type }: ArgumentMetadata) {
    log.push(`pipe ${type}`);
    return value.trim();
  }
}

@Injectable()
class Wrapping {
  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    log.push('interceptor');
    return next.handle().pipe(map((wrapped: unknown) => ({ wrapped })));
  }
}

@Controller('routes')
class Routes {
  @Post(':id')
  @HttpCode(201)
  @Header('X-Kind', 'guarded')
  @OnlyLeader()
  @UseInterceptors(Wrapping)
  create(
    @Param('id', ParseIntPipe) id: number,
    @Query('q', LoggingPipe) q: string,
    @Body() body: object,
  ) {
    log.push('body');
    return { id, q, body };
  }

  @OnlyLeader({ otherwise: 'skip' })
  @Get('skipped')
  skipped() {
    log.push('body');
    return 'ran';
  }

  @OnlyLeader('reports')
  @Get('reports')
  reports() {
    return 'reported';
  }

  @Get('observable')
  @OnlyLeader()
  observable() {
    return of('observed');
  }

  @Get('promised-observable')
  @OnlyLeader()
  async promisedObservable() {
    return of('observed');
  }

  @OnlyLeader()
  @Sse('sse')
  sse() {
    return of({ data: 'event' });
  }
}

describe('a leader-only route', () => {
  it('answers 503 before pipes and interceptors run, with Retry-After and who leads', async () => {
    const rival = await Rival.leads(store);
    const { url, leader } = await start({ leaseTtlMs: 9_500 });
    await untilState(leader, 'follower');

    const response = await post(`${url}/routes/not-a-number?q=x`);
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('10');
    expect(await response.json()).toEqual({
      statusCode: 503,
      error: 'Service Unavailable',
      message: 'Not the leader of election "default": "node-rival" leads.',
      election: 'default',
      leader: { nodeId: 'node-rival', epoch: rival.epoch },
      retryAfterSeconds: 10,
    });
    expect(log).toEqual([]);
  });

  it('keeps parameters, pipes, interceptors, status and headers on the leader', async () => {
    const { url, leader } = await start();
    await untilState(leader, 'leader');
    const response = await post(`${url}/routes/7?q=%20x%20`);
    expect(response.status).toBe(201);
    expect(response.headers.get('x-kind')).toBe('guarded');
    expect(response.headers.get('retry-after')).toBeNull();
    expect(await response.json()).toEqual({ wrapped: { id: 7, q: 'x', body: { some: 'body' } } });
    expect(log).toEqual(['interceptor', 'pipe query', 'body']);
    expect((await post(`${url}/routes/not-a-number?q=x`)).status).toBe(400);
  });

  it.each(['observable', 'promised-observable', 'sse'])('N-04: serves %s', async (path) => {
    const { url, leader } = await start();
    await untilState(leader, 'leader');
    const response = await fetch(`${url}/routes/${path}`);
    expect(response.status).toBe(200);
    expect(await response.text()).toContain(path === 'sse' ? 'data: event' : 'observed');
    await leader.stepDown();
    expect((await fetch(`${url}/routes/${path}`)).status).toBe(503);
  });

  it('is skipped with an empty answer where it says so', async () => {
    const rival = await Rival.leads(store);
    const { url, leader, events } = await start();
    await untilState(leader, 'follower');
    const response = await fetch(`${url}/routes/skipped`);
    expect([response.status, await response.text()]).toEqual([200, '']);
    expect(log).toEqual([]);
    expect(events.all('skipped')).toEqual([
      { election: 'default', handler: 'Routes.skipped', outcome: 'skip' },
    ]);
    await rival.letsGo();
    await untilState(leader, 'leader');
    expect(await (await fetch(`${url}/routes/skipped`)).text()).toBe('ran');
  });

  it('goes by the election that it names', async () => {
    await Rival.leads(store, 'reports');
    const { url, leader } = await start();
    await untilState(leader, 'leader');
    const response = await fetch(`${url}/routes/reports`);
    expect([response.status, await response.json()]).toMatchObject([503, { election: 'reports' }]);
  });

  it('says so when nobody is known to lead', async () => {
    const { url } = await start({ campaign: false });
    const response = await post(`${url}/routes/1`);
    expect([response.status, await response.json()]).toMatchObject([503, { leader: null }]);
  });
});

function start(election = {}) {
  return apps.start({
    http: true,
    election: { store, ...election },
    imports: [LeaderElectionModule.forFeature('reports')],
    controllers: [Routes],
  });
}

describe('LeaderGuard without @OnlyLeader()', () => {
  @UseGuards(LeaderGuard)
  @Controller('admin')
  class Admin {
    @Get()
    index() {
      return 'admin';
    }
  }

  @Controller('open')
  class Open {
    @Get()
    index() {
      return 'open';
    }
  }

  it('guards a controller, and no other', async () => {
    const rival = await Rival.leads(store);
    const { url, leader } = await apps.start({
      http: true,
      election: { store },
      controllers: [Admin, Open],
    });
    await untilState(leader, 'follower');
    expect((await fetch(`${url}/admin`)).status).toBe(503);
    expect((await fetch(`${url}/open`)).status).toBe(200);
    await rival.letsGo();
    await untilState(leader, 'leader');
    expect((await fetch(`${url}/admin`)).status).toBe(200);
  });

  it('guards a whole application', async () => {
    await Rival.leads(store);
    const { url, leader } = await apps.start({
      http: true,
      election: { store },
      controllers: [Open],
      providers: [{ provide: APP_GUARD, useClass: LeaderGuard }],
    });
    await untilState(leader, 'follower');
    const response = await fetch(`${url}/open`);
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '10']);
  });
});

it('answers 503 where a route calls a leader-only method', async () => {
  @Injectable()
  class Ledger {
    @OnlyLeader()
    charge() {
      return 'charged';
    }
  }
  @Controller('charge')
  class Charging {
    constructor(private readonly ledger: Ledger) {}
    @Get()
    charge() {
      return this.ledger.charge();
    }
  }
  await Rival.leads(store);
  const { url, leader } = await apps.start({
    http: true,
    election: { store },
    controllers: [Charging],
    providers: [Ledger],
  });
  await untilState(leader, 'follower');
  const response = await fetch(`${url}/charge`);
  expect([response.status, await response.json()]).toMatchObject([
    503,
    { leader: { nodeId: 'node-rival' } },
  ]);
});

function post(url: string): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ some: 'body' }),
  });
}
