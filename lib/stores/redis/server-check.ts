/** What can be read of a Redis, once it is connected to, that endangers the promise. */
import { isCluster, type RedisClient } from './redis-client.js';

const OLDEST_VERSION = [6, 2] as const;

/** What every primary says of itself. A server that hides it, or gives no answer, says nothing here. */
export async function checkServers(client: RedisClient): Promise<readonly string[]> {
  const servers = isCluster(client) ? client.nodes('master') : [client];
  const warnings = await Promise.all(
    servers.map((server) => server.info().then(warningsOf, (): string[] => [])),
  );
  return [...new Set(warnings.flat())];
}

/** Reads the answer to INFO. */
export function warningsOf(info: string): string[] {
  const field = (name: string): string | undefined =>
    new RegExp(`^${name}:(.*?)\r?$`, 'm').exec(info)?.[1];
  const warnings: string[] = [];
  const policy = field('maxmemory_policy');
  if (policy !== undefined && policy !== 'noeviction' && field('maxmemory') !== '0') {
    warnings.push(
      `Redis may evict the lease and its record when its memory is full (maxmemory-policy ${policy}): leadership then ` +
        'ends. Set maxmemory-policy to noeviction, or use another Redis for elections.',
    );
  }
  if (field('role') === 'slave') {
    warnings.push(
      'This Redis is a replica, and nobody can lead through it: give `redis` the address of its primary, or the Sentinels.',
    );
  }
  const version = field('redis_version');
  if (version && isOlder(version)) {
    warnings.push(
      `Redis ${version} is not supported: use ${OLDEST_VERSION.join('.')} or newer, or Valkey.`,
    );
  }
  return warnings;
}

function isOlder(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_VERSION;
  return major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
}
