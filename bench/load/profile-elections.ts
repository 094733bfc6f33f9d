/**
 * So many elections in this very process, for a profiler:
 *
 *     folder=$(node sample/demo/compile.mjs lib bench test/support)
 *     node --cpu-prof --expose-gc $folder/bench/load/profile-elections.js 10000 30      elections, seconds
 */
import 'reflect-metadata';

import { RedisServer } from '../../test/support/redis/redis-server.js';
import { elections } from './holders/elections.js';
import { holding } from './holding.js';
import { pass } from './pass.js';

const [, , count = '10000', seconds = '30'] = process.argv;
const ttlMs = 10_000;
const server = await RedisServer.start();
const load = holding([elections]);
const { heldAfterMs, before } = await load.hold({
  holder: elections.id,
  url: server.url,
  ttlMs,
  prefix: 'profiled-',
  count: Number(count),
});
const start = await load.read();
await pass(Number(seconds) * 1000);
const end = await load.read();
const after = await load.memory();
await server.stop();
const cpuPart = (end.cpuMs - start.cpuMs) / (Number(seconds) * 1000);
process.stderr.write(
  `all held after ${heldAfterMs.toFixed(0)} ms; then ${(100 * cpuPart).toFixed(1)} % of a core, ` +
    `${((after.heapKib - before.heapKib) / Number(count)).toFixed(2)} KiB each, ` +
    `latest renewal ${Math.max(...end.latenessMs).toFixed(0)} ms\n`,
);
process.exit();
