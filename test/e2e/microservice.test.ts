import { afterEach, expect, it } from '@jest/globals';
import { Controller, type INestMicroservice } from '@nestjs/common';
import {
  type ClientProxy,
  ClientProxyFactory,
  EventPattern,
  MessagePattern,
  type MicroserviceOptions,
  Payload,
  Transport,
} from '@nestjs/microservices';
import { Test } from '@nestjs/testing';
import { firstValueFrom } from 'rxjs';

import {
  InMemoryLeaseStore,
  LeaderElectionModule,
  LeaderService,
  OnlyLeader,
} from '../../lib/index.js';
import { rootOptions, useApps } from '../support/nest/apps.js';
import { ElectionRecorder } from '../support/nest/election-recorder.js';
import { untilState } from '../support/nest/leadership.js';
import { Rival } from '../support/nest/rival.js';
import { freePort } from '../support/redis/free-port.js';

const apps = useApps();
const clients: ClientProxy[] = [];

afterEach(async () => {
  await Promise.all(clients.splice(0).map(async (client) => client.close()));
});

const ran: string[] = [];

@Controller()
class Messages {
  @MessagePattern('above')
  @OnlyLeader()
  above(@Payload() data: { n: number }) {
    ran.push('above');
    return data.n + 1;
  }

  @OnlyLeader()
  @MessagePattern('below')
  below(@Payload('n') n: number) {
    ran.push('below');
    return n + 1;
  }

  @OnlyLeader()
  @EventPattern('event')
  event(_data: unknown) {
    ran.push('event');
  }
}

it('N-01: guards message handlers, above and below, and tells the caller that it failed', async () => {
  const store = new InMemoryLeaseStore();
  const rival = await Rival.leads(store);
  const { app, client, events } = await startMicroservice(store);
  const leader = app.get(LeaderService);
  await untilState(leader, 'follower');

  for (const pattern of ['above', 'below']) {
    await expect(firstValueFrom(client.send(pattern, { n: 1 }))).rejects.toMatchObject({
      message: 'Internal server error',
    });
  }
  const skipped = events.next('skipped');
  await firstValueFrom(client.emit('event', {}), { defaultValue: undefined });
  await expect(skipped).resolves.toMatchObject({ handler: 'Messages.event', outcome: 'throw' });
  expect(ran).toEqual([]);

  await rival.letsGo();
  await untilState(leader, 'leader');
  for (const pattern of ['above', 'below']) {
    await expect(firstValueFrom(client.send(pattern, { n: 1 }))).resolves.toBe(2);
  }
  const ended = events.first('runEnded', ({ handler }) => handler === 'Messages.event');
  await firstValueFrom(client.emit('event', {}), { defaultValue: undefined });
  await ended;
  expect(ran).toEqual(['above', 'below', 'event']);
});

async function startMicroservice(store: InMemoryLeaseStore) {
  const events = new ElectionRecorder();
  const port = await freePort();
  const module = await Test.createTestingModule({
    imports: [LeaderElectionModule.forRoot(rootOptions({ store, events }))],
    controllers: [Messages],
  })
    .setLogger(apps.logger)
    .compile();
  const transport = { transport: Transport.TCP, options: { port, host: '127.0.0.1' } } as const;
  const app: INestMicroservice = module.createNestMicroservice<MicroserviceOptions>(transport);
  apps.track(app);
  await app.listen();
  const client = ClientProxyFactory.create(transport);
  clients.push(client);
  await client.connect();
  return { app, client, events };
}
