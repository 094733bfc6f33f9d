/** The Redis of the demo: the one in REDIS_URL, or a redis-server of its own, or none. */
import { randomBytes } from 'node:crypto';
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

import { Redis } from 'ioredis';

import { DEFAULT_KEY_PREFIX, electionKeys } from '../../lib/stores/redis/redis-keys.js';
import { RedisServer } from '../../test/support/redis/redis-server.js';

const CONNECT_TIMEOUT_MS = 3000;

export interface DemoRedis {
  readonly url: string;
  readonly description: string;
  /** What the reader should know about it. */
  readonly notes: readonly string[];
  /** A name that no other election has. */
  readonly election: string;
  /** Removes what the demo wrote, and the server where it is the demo's own. Never rejects. */
  close(): Promise<void>;
}

/** Null where there is none. Rejects where REDIS_URL leads nowhere. */
export async function findRedis(): Promise<DemoRedis | null> {
  const election = `demo-${randomBytes(4).toString('hex')}`;
  const url = process.env['REDIS_URL'];
  if (url) return useRedis(url, election);
  if (!(await isOnPath('redis-server'))) return null;
  const server = await RedisServer.start();
  return {
    url: server.url,
    description: `a redis-server of its own on port ${server.port}`,
    notes: [
      'A Redis that has just started may have lost data: nobody leads until it is up for one lease.',
    ],
    election,
    close: () => server.stop().catch(() => undefined),
  };
}

async function useRedis(url: string, election: string): Promise<DemoRedis> {
  const client = new Redis(url, {
    lazyConnect: true,
    connectTimeout: CONNECT_TIMEOUT_MS,
    commandTimeout: CONNECT_TIMEOUT_MS,
    retryStrategy: () => null,
  });
  let lastError: unknown = null;
  client.on('error', (error: unknown) => (lastError = error));
  try {
    await client.connect();
    await client.ping();
  } catch (error) {
    client.disconnect();
    throw new Error(`The Redis in REDIS_URL does not answer: ${String(lastError ?? error)}`, {
      cause: error,
    });
  }
  const { lease, record } = electionKeys(DEFAULT_KEY_PREFIX, election);
  return {
    url,
    description: 'the Redis in REDIS_URL',
    notes: [],
    election,
    close: async () => {
      await client.del(lease, record).catch(() => undefined);
      client.disconnect();
    },
  };
}

async function isOnPath(command: string): Promise<boolean> {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const found = await access(join(folder, command), constants.X_OK).then(
      () => true,
      () => false,
    );
    if (found) return true;
  }
  return false;
}
