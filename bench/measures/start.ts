/** What the library adds to the start of an application, and to its installation. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { RedisServer } from '../../test/support/redis/redis-server.js';
import { LoadProcess } from '../load/load-process.js';
import type { Measure, MeasureContext, Row, Unit } from '../measure.interface.js';
import { OURS } from '../ours.js';
import { ROOT } from '../root.js';
import type { BootApi, Booted, BootRequest } from '../start/boot.js';
import { builtPackage } from '../start/built-package.js';
import { packageFacts } from '../start/package-facts.js';
import { median } from '../statistics.js';

const WORKER = new URL('../start/boot.worker.js', import.meta.url);
/** Nothing listens on the port of tcpmux. */
const REDIS_DOWN = 'redis://127.0.0.1:1';
const BYTES_PER_KIB = 1024;
const ROUNDS = 30;
const ROUNDS_QUICK = 2;

const ALONE = 'the application alone';
const CONNECTING = 'the same that opens two ioredis connections';
const CONNECTED = 'the same that awaits two ioredis connections';

export const start: Measure = {
  id: 'start',
  title: 'Start',
  how:
    '_Boot_: from before the root module is declared until `NestFactory.createApplicationContext` resolves, each time ' +
    'in a fresh process, for an application with one provider: alone, with two ioredis connections that a provider ' +
    'opens, or opens and awaits, and with the built package (`forRoot({ redis })`, a service that is injected, one ' +
    '`@OnlyLeader()` method), in turn. _Boot adds_ is what is beyond the median of the application alone, and _beyond connecting_ ' +
    'what is beyond that of the one that opens two connections. The library opens two as well, and its boot waits for none, ' +
    'as _boot with Redis down_ shows. _Import_: `import` of the package where Nest and ioredis have been ' +
    'imported already. Sizes are those of `npm pack`; dependencies are counted with theirs, without peers.',
  goals: [
    { figure: 'boot adds beyond connecting', statistic: 'median', atMost: 15 },
    { figure: 'dependencies', statistic: 'max', atMost: 0 },
  ],
  async run(context: MeasureContext): Promise<readonly Row[]> {
    context.say('builds the package where it is not up to date');
    const entry = await builtPackage();
    return [...(await bootRows(context, entry)), ...(await packageRows(context))];
  },
};

async function bootRows(context: MeasureContext, entry: string): Promise<readonly Row[]> {
  const rounds = context.quick ? ROUNDS_QUICK : ROUNDS;
  const redis = await RedisServer.start();
  try {
    const at = { entry, redisUrl: redis.url };
    const requests: readonly BootRequest[] = [
      { ...at, variant: 'alone' },
      { ...at, variant: 'connecting' },
      { ...at, variant: 'connected' },
      { ...at, variant: 'with the library' },
      { ...at, variant: 'with the library', redisUrl: REDIS_DOWN },
    ];
    const booted = requests.map((): Booted[] => []);
    // The first round only fills the caches of the file system.
    for (let round = 0; round <= rounds; round += 1) {
      if (round > 0) context.say(`boots ${round} of ${rounds}`);
      for (const [index, request] of requests.entries()) {
        const result = await bootInFreshProcess(request);
        if (round > 0) booted[index]?.push(result);
      }
    }
    const [alone = [], connecting = [], connected = [], ours = [], down = []] = booted.map(
      (results) => results.map(({ bootMs }) => bootMs),
    );
    const imports = (booted[3] ?? []).map(({ importMs }) => importMs);
    return [
      row(OURS, 'boot', 'ms', ours),
      row(OURS, 'boot adds', 'ms', beyond(alone, ours)),
      row(OURS, 'boot adds beyond connecting', 'ms', beyond(connecting, ours)),
      row(OURS, 'boot with Redis down', 'ms', down),
      row(OURS, 'import', 'ms', imports),
      row(ALONE, 'boot', 'ms', alone),
      row(CONNECTING, 'boot', 'ms', connecting),
      row(CONNECTING, 'boot adds', 'ms', beyond(alone, connecting)),
      row(CONNECTED, 'boot', 'ms', connected),
      row(CONNECTED, 'boot adds', 'ms', beyond(alone, connected)),
    ];
  } finally {
    await redis.stop();
  }
}

async function bootInFreshProcess(request: BootRequest): Promise<Booted> {
  const process = await LoadProcess.start<BootApi>(WORKER);
  try {
    return await process.call('boot', request);
  } finally {
    await process.kill();
  }
}

function beyond(baseline: readonly number[], boots: readonly number[]): readonly number[] {
  return boots.map((ms) => ms - median(baseline));
}

async function packageRows({ contestants }: MeasureContext): Promise<readonly Row[]> {
  const packages = contestants
    .map((id) => ({ id, folder: id === OURS ? ROOT : join(ROOT, 'bench/node_modules', id) }))
    // A loop that is written by hand is no package.
    .filter(({ folder }) => existsSync(folder));
  const facts = await packageFacts(packages.map(({ folder }) => folder));
  return facts.flatMap(({ packedBytes, unpackedBytes, dependencies }, index) => {
    const { id = '' } = packages[index] ?? {};
    return [
      row(id, 'packed', 'KiB', [packedBytes / BYTES_PER_KIB]),
      row(id, 'unpacked', 'KiB', [unpackedBytes / BYTES_PER_KIB]),
      row(id, 'dependencies', 'count', [dependencies]),
    ];
  });
}

function row(contestant: string, figure: string, unit: Unit, samples: readonly number[]): Row {
  return { measure: 'start', contestant, case: 'a fresh process', figure, unit, samples };
}
