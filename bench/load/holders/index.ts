/** All libraries that hold many leases; the first is this one. */
import { elections } from './elections.js';
import type { Holder } from './holder.interface.js';
import { nestModules } from './nest-modules.js';
import { redisSemaphore } from './redis-semaphore.js';
import { redlock } from './redlock.js';

export const HOLDERS: readonly Holder[] = [elections, nestModules, redisSemaphore, redlock];
