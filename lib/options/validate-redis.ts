import { isClient, keyPrefixOf } from '../stores/redis/redis-client.js';
import { makesEmptyHashTag } from '../stores/redis/redis-keys.js';
import { wrongType, wrongValue } from './option.errors.js';

/** What ioredis takes for an address: a URL, a socket's path, or a host with a port. */
const REDIS_ADDRESS =
  /^(rediss?:\/\/\S+|\/.+|([^\s@/]*@)?(\[[\da-f:.]+\](:\d+)?|[^\s@/?#[\]]+)(\/\d+)?(\?\S*)?)$/i;
/** What other clients call it; ioredis takes no notice of them and connects to localhost. */
const NOT_OF_IOREDIS = ['url', 'uri', 'socket', 'hostname', 'href'];
const SMALLEST_QUORUM = 3;

/** Expects that something is given. Nothing may silently mean localhost: with a Redis on each host all would lead. */
export function assertRedis(redis: unknown): void {
  if (!Array.isArray(redis)) {
    assertOneRedis('redis', redis);
    return;
  }
  // One by one: a message must not show what else is in there.
  for (const [index, server] of redis.entries()) assertOneRedis(`redis[${index}]`, server);
  if (redis.length < SMALLEST_QUORUM || redis.length % 2 === 0) {
    throw new RangeError(
      `LeaderElectionModule: expected \`redis\` to be one server, or an odd number of independent ones from ` +
        `${SMALLEST_QUORUM}, got ${redis.length}. A majority of them must be up: of 3 one may fail, of 4 only one as ` +
        'well. A Sentinel or Cluster counts as one server; give it as one client.',
    );
  }
  const addresses = redis.map(addressOf);
  const twice = addresses.findIndex((address, index) => addresses.indexOf(address) !== index);
  if (twice >= 0) {
    throw new RangeError(
      `LeaderElectionModule: \`redis[${twice}]\` is the same server as \`redis[${addresses.indexOf(addresses[twice])}]\`. ` +
        'A quorum needs independent servers: where one counts twice, one failure makes two leaders.',
    );
  }
}

function assertOneRedis(option: string, redis: unknown): void {
  if (typeof redis === 'string') {
    if (REDIS_ADDRESS.test(redis)) return;
    const expected = 'a URL that begins with redis:// or rediss://';
    throw wrongValue(option, expected, withoutSecrets(redis));
  }
  if (typeof redis !== 'object' || redis === null || Array.isArray(redis)) {
    throw wrongType(option, 'a URL, ioredis options, or an ioredis client', redis);
  }
  const isOfUser = isClient(redis);
  if (!isOfUser) assertRedisOptions(option, redis);
  const prefix: unknown = isOfUser ? keyPrefixOf(redis) : Reflect.get(redis, 'keyPrefix');
  if (typeof prefix === 'string' && makesEmptyHashTag(prefix)) {
    throw wrongValue(
      isOfUser ? `${option}.options.keyPrefix` : `${option}.keyPrefix`,
      'without `{}`, and not to begin with `}`',
      prefix,
      'An empty hash tag puts the keys of one election in different Cluster slots.',
    );
  }
}

function assertRedisOptions(option: string, redis: object): void {
  const foreign = NOT_OF_IOREDIS.find((key) => key in redis);
  if (foreign !== undefined) {
    throw new TypeError(
      `LeaderElectionModule: ioredis has no option \`${option}.${foreign}\`, and would connect to localhost. Give the ` +
        'URL itself as a string, or `{ host, port }`.',
    );
  }
  for (const key of ['host', 'path'] as const) {
    if (Object.hasOwn(redis, key) && !Reflect.get(redis, key)) {
      throw new TypeError(
        `LeaderElectionModule: \`${option}.${key}\` is empty, and ioredis would connect to localhost: is its ` +
          'environment variable set? Leave it out where localhost is meant.',
      );
    }
  }
}

/** What tells servers apart as far as options can: the same client, the same URL, the same host and port. */
function addressOf(redis: unknown): unknown {
  if (typeof redis !== 'object' || redis === null || isClient(redis)) return redis;
  const { host = 'localhost', port = 6379, path } = redis as Record<string, unknown>;
  return path ?? `${String(host)}:${String(port)}`;
}

/** An error at the start ends in logs. */
function withoutSecrets(address: string): string {
  return address.replace(/(:\/\/)?[^@/]*@/, '$1***@');
}
