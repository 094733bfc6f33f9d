import { Redis, type RedisOptions } from 'ioredis';
import {
  isClient,
  isCluster,
  keyPrefixOf,
  type RedisSource,
} from '../stores/redis/redis-client.js';
import { makesEmptyHashTag } from '../stores/redis/redis-keys.js';
import { wrongType, wrongValue } from './option.errors.js';

/** What ioredis takes for an address: a URL, a socket's path, or a host with a port. */
const REDIS_ADDRESS =
  /^(rediss?:\/\/\S+|\/.+|([^\s@/]*@)?(\[[\da-f:.]+\](:\d+)?|[^\s@/?#[\]]+)(\/\d+)?(\?\S*)?)$/i;
/** What other clients call it; ioredis takes no notice of them and connects to localhost. */
const NOT_OF_IOREDIS = ['url', 'uri', 'socket', 'hostname', 'href'];
const SMALLEST_QUORUM = 3;
const LOOPBACK = new Set(['localhost', '127.0.0.1', '::1']);

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
  assertIndependent(redis as RedisSource[]);
}

function assertIndependent(servers: readonly RedisSource[]): void {
  const known = new Map<unknown, number>();
  for (const [index, server] of servers.entries()) {
    for (const address of new Set(addressesOf(server))) {
      const first = known.get(address);
      if (first !== undefined) {
        const which = typeof address === 'string' ? `, ${address}` : '';
        throw new RangeError(
          `LeaderElectionModule: \`redis[${index}]\` is the same server as \`redis[${first}]\`${which}. A quorum needs ` +
            'independent servers: where one counts twice, one failure makes two leaders. Give each server once; ' +
            'another database, user or name of it is no other server.',
        );
      }
      known.set(address, index);
    }
  }
}

function assertOneRedis(option: string, redis: unknown): void {
  if (typeof redis === 'string') {
    assertAddress(option, redis);
    return;
  }
  const expected = 'a URL, ioredis options, or an ioredis client';
  if (typeof redis !== 'object' || redis === null) throw wrongType(option, expected, redis);
  if (Symbol.iterator in redis) {
    throw new TypeError(
      `LeaderElectionModule: expected \`${option}\` to be ${expected}, got ${kindOf(redis)}. Several servers are ` +
        'given as an array: `redis: [a, b, c]`.',
    );
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

function assertAddress(option: string, address: string): void {
  if (isSeveral(address)) {
    throw wrongValue(
      option,
      'one address',
      withoutSecrets(address),
      'Several servers are given as an array: `redis: [a, b, c]`. A comma in a password is written %2C, and an @ %40.',
    );
  }
  const expected = 'a URL that begins with redis:// or rediss://';
  if (!REDIS_ADDRESS.test(address)) throw wrongValue(option, expected, withoutSecrets(address));
  try {
    parse(address);
  } catch {
    // The error itself has the whole address in it.
    throw wrongValue(
      option,
      'an address that ioredis can read',
      withoutSecrets(address),
      'Is the host there, and the port a number, and the password percent-encoded?',
    );
  }
}

/** A comma may stand in a password, in a query, and in the path of a socket, but not in a host. */
function isSeveral(address: string): boolean {
  if (address.startsWith('/')) return false;
  const [beforeQuery = ''] = address.split('?');
  return /,\s*rediss?:\/\//i.test(address) || /@.*,|,[^@]*$/s.test(beforeQuery);
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
  assertSentinels(option, redis);
}

function assertSentinels(option: string, redis: RedisOptions): void {
  const sentinels: unknown = redis.sentinels;
  if (sentinels === undefined || sentinels === null) return;
  // Of anything but objects ioredis reads no host, and would ask localhost.
  const list: unknown[] = Array.isArray(sentinels) ? sentinels : [sentinels];
  const strange = list.findIndex((entry) => typeof entry !== 'object' || entry === null);
  if (list !== sentinels || list.length === 0 || strange >= 0) {
    const got = list.length === 0 ? 'none' : kindOf(list[Math.max(strange, 0)]);
    throw new TypeError(
      `LeaderElectionModule: expected \`${option}.sentinels\` to be an array of \`{ host, port }\`, got ${got}. Give the ` +
        'addresses of the Sentinels, or leave it out.',
    );
  }
  if (!redis.name) {
    throw wrongType(
      `${option}.name`,
      'the name by which the Sentinels know the primary',
      redis.name,
      "Example: `{ sentinels, name: 'mymaster' }`.",
    );
  }
}

/** What tells servers apart as far as options can. A Cluster has several addresses, and none of them is another's. */
function addressesOf(redis: RedisSource): unknown[] {
  if (typeof redis === 'string') return [addressOf(parse(redis))];
  if (isCluster(redis)) {
    const nodes: unknown = Reflect.get(redis, 'startupNodes');
    return Array.isArray(nodes) && nodes.length > 0 ? nodes.map(nodeAddressOf) : [redis];
  }
  const options = isClient(redis) ? redis.options : redis;
  // Where that connects to, only it knows.
  return [options.Connector ? redis : addressOf(options)];
}

function nodeAddressOf(node: string | number | RedisOptions): string {
  return addressOf(typeof node === 'object' ? node : parse(String(node)));
}

function addressOf({ sentinels, name, path, host, port }: RedisOptions): string {
  if (sentinels) {
    const hosts = new Set(
      sentinels.map((sentinel) => hostAndPort(sentinel.host, sentinel.port, 26379)),
    );
    const sorted = [...hosts];
    sorted.sort();
    return `${name} of ${sorted.join(', ')}`;
  }
  return path || hostAndPort(host, port, 6379);
}

function hostAndPort(host: string | null | undefined, port: unknown, usual: number): string {
  const name = (host || 'localhost').toLowerCase();
  return `${LOOPBACK.has(name) ? 'localhost' : name}:${Number(port) || usual}`;
}

/** As ioredis does it, which never connects here. */
function parse(address: string): RedisOptions {
  return new Redis(address, { lazyConnect: true }).options;
}

/** What a value is, where what is in it may be a secret. */
function kindOf(value: unknown): string {
  return `\`${Object.prototype.toString.call(value)}\``;
}

/** An error at the start ends in logs. Hides whatever comes before an `@`, in each of several URLs, and in a query. */
function withoutSecrets(address: string): string {
  return address
    .replace(/((?:^|,\s*)(?:\w+:\/\/)?)(?:(?!,\s*\w+:\/\/).)*@/gs, '$1***@')
    .replace(/=[^&]*/g, '=***');
}
