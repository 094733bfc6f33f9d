/** The same elections, each with a Nest module of its own, as an application declares them. */
import { type INestApplicationContext, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

import { LeaderElectionModule } from '../../../lib/index.js';
import { OURS } from '../../ours.js';
import { elections, listenerOf } from './elections.js';
import type { Holder, HolderOptions } from './holder.interface.js';
import { quietLogger } from './quiet-logger.js';

export const nestModules: Holder = {
  ...elections,
  id: `${OURS}, a Nest module each`,
  driven: '`forFeature(name)` for each, in one application',
  async open(options) {
    quietLogger();
    // Loads what an application loads by itself.
    const empty = await boot(options, 0);
    await empty.close();
    return async (count) => void (await boot(options, count));
  },
};

async function boot(options: HolderOptions, count: number): Promise<INestApplicationContext> {
  const { url, ttlMs, prefix } = options;
  class Root {}
  Module({
    imports: [
      LeaderElectionModule.forRoot({
        redis: url,
        name: `${prefix}first`,
        leaseTtlMs: ttlMs,
        events: listenerOf(options),
      }),
      ...Array.from({ length: count }, (_, index) =>
        LeaderElectionModule.forFeature(`${prefix}${index}`),
      ),
    ],
  })(Root);
  const app = await NestFactory.createApplicationContext(Root, { logger: false });
  // As the README asks for. It also keeps the application: nothing else here does.
  return app.enableShutdownHooks();
}
