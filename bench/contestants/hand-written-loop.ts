/** What people write: a key with a ttl, a timer, a boolean. */
import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';

import type { CandidateOptions, Contestant } from './contestant.interface.js';

const RENEW = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return 0`;
const RELEASE = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`;

const leaseKey = (election: string): string => `leader:${election}`;

export const handWrittenLoop: Contestant = {
  id: 'hand-written loop',
  driven:
    '`SET key id NX PX ttl` on ioredis with its defaults; the leader extends the lease every ttl/3 by a script that ' +
    'compares, the others try every ttl/3; a boolean keeps the last answer, and is false after an error.',
  leaseKey,
  start: (options) => Promise.resolve(start(options)),
};

function start({ url, election, ttlMs, changed, retryEveryMs = ttlMs / 3 }: CandidateOptions) {
  const redis = new Redis(url);
  redis.on('error', () => undefined);
  const key = leaseKey(election);
  const id = randomUUID();
  let leading = false;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;

  const ask = async (): Promise<boolean> => {
    if (leading) return (await redis.eval(RENEW, 1, key, id, ttlMs)) === 1;
    return (await redis.set(key, id, 'PX', ttlMs, 'NX')) === 'OK';
  };
  const tell = (isLeading: boolean): void => {
    if (isLeading === leading) return;
    leading = isLeading;
    changed(isLeading);
  };
  const tick = async (): Promise<void> => {
    const answer = await ask().catch(() => false);
    if (stopped) return;
    tell(answer);
    // A tick never rejects.
    timer = setTimeout(() => void tick(), leading ? ttlMs / 3 : retryEveryMs);
  };
  void tick();

  return {
    isLeading: () => leading,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      if (leading) await redis.eval(RELEASE, 1, key, id);
      tell(false);
      redis.disconnect();
    },
  };
}
