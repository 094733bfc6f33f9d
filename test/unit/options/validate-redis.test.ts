import { afterEach, describe, expect, it } from '@jest/globals';
import { Cluster, Redis, type ClusterNode, type RedisOptions } from 'ioredis';

import { LeaderElectionModule } from '../../../lib/index.js';
import { validate } from './validating.js';

const clients: { disconnect(): void }[] = [];
afterEach(() => {
  for (const client of clients.splice(0)) client.disconnect();
});

function client(
  options: Pick<RedisOptions, 'host' | 'db' | 'password' | 'name' | 'sentinels'>,
): Redis {
  const redis = new Redis({ ...options, lazyConnect: true });
  clients.push(redis);
  return redis;
}

function cluster(...nodes: ClusterNode[]): Cluster {
  const redis = new Cluster(nodes, { lazyConnect: true });
  clients.push(redis);
  return redis;
}

function sentinels(name: string, ...hosts: string[]): RedisOptions {
  return { name, sentinels: hosts.map((host) => ({ host, port: 26379 })) };
}

function refusalOf(redis: unknown): string {
  try {
    validate({ redis });
  } catch (error) {
    if (error instanceof Error) return error.message;
  }
  throw new Error('It was accepted.');
}

describe('One server given twice', () => {
  it.each<[string, () => unknown, () => unknown, string]>([
    ['another database', () => 'redis://a/0', () => 'redis://a/1', 'a:6379'],
    ['a slash', () => 'redis://a', () => 'redis://a/', 'a:6379'],
    ['the usual port', () => 'redis://a', () => 'redis://a:6379', 'a:6379'],
    ['upper case', () => 'redis://a', () => 'REDIS://A', 'a:6379'],
    ['a user', () => 'redis://a:1', () => 'redis://u:s3cret@a:1', 'a:1'],
    ['a query', () => 'redis://a', () => 'redis://a?password=s3cret', 'a:6379'],
    ['TLS', () => 'redis://a', () => 'rediss://a', 'a:6379'],
    ['no scheme', () => 'redis://a', () => 'a:6379', 'a:6379'],
    ['options', () => 'redis://a:1', () => ({ host: 'a', port: '1', db: 3 }), 'a:1'],
    ['a client', () => 'redis://a', () => client({ host: 'a', password: 's3cret' }), 'a:6379'],
    ['two clients', () => client({ host: 'a' }), () => client({ host: 'A', db: 2 }), 'a:6379'],
    ['127.0.0.1', () => 'redis://localhost', () => 'redis://127.0.0.1', 'localhost:6379'],
    ['::1', () => 'redis://127.0.0.1:1', () => 'redis://[::1]:1', 'localhost:1'],
    ['no host', () => '6379', () => ({ host: '::1', port: undefined }), 'localhost:6379'],
    ['a socket', () => '/tmp/s?db=1', () => ({ path: '/tmp/s' }), '/tmp/s'],
    [
      'the same Sentinels',
      () => sentinels('one', 's', 't'),
      () => client({ ...sentinels('one', 'T', 's', 't'), password: 's3cret' }),
      'one of s:26379, t:26379',
    ],
    ['a node of a Cluster', () => cluster('redis://a:1', 'b'), () => cluster('c', 'a:1'), 'a:1'],
    ['the port of a Cluster', () => cluster(7000), () => cluster({ host: '::1', port: 7000 }), ''],
  ])('is refused with %s', (_what, one, other, address) => {
    const message = refusalOf([one(), 'redis://other', other()]);
    expect(message).toContain(`\`redis[2]\` is the same server as \`redis[0]\`, ${address}`);
    expect(message).toContain('Give each server once');
    expect(message).not.toContain('s3cret');
  });

  it('is refused as the same client, whatever that connects to', () => {
    const nowhere = cluster();
    expect(refusalOf([nowhere, 'redis://a', nowhere])).toContain('`redis[0]`. A quorum');
  });

  it.each<[string, () => unknown[]]>([
    ['other ports', () => ['redis://a:1', 'redis://a:2', { host: 'a' }]],
    ['clients of other hosts', () => ['a', 'b', 'c'].map((host) => client({ host }))],
    ['Sentinels of other names', () => ['x', 'y', 'z'].map((name) => sentinels(name, 's', 't'))],
    ['other Sentinels', () => ['s', 't', 'u'].map((host) => client(sentinels('mymaster', host)))],
    ['other Clusters', () => [cluster('a:1', 'a:1'), cluster('a:2', 'b:1'), cluster('c')]],
    ['Clusters that do not tell where they are', () => [cluster(), cluster(), cluster()]],
    ['connectors of their own', () => [1, 2, 3].map(() => ({ Connector: class {} }))],
  ])('is not seen in %s', (_what, servers) => {
    expect(() => validate({ redis: servers() })).not.toThrow();
  });
});

describe('Several servers in something else than an array', () => {
  it.each([
    ['redis://a,redis://b,redis://c', 'redis://a,redis://b,redis://c'],
    ['redis://a/0, redis://u:s3cret@b/0', 'redis://a/0, redis://***@b/0'],
    ['redis://u:s3cret@a,rediss://u:s3cret@b', 'redis://***@a,rediss://***@b'],
    ['redis://a?password=s3cret,redis://b', 'redis://a?password=***'],
    ['redis://u:s3cret@a:1,b:1', 'redis://***@a:1,b:1'],
    ['redis://u:s3cret@a:1,u:s3cret@b:1', 'redis://***@b:1'],
    ['a:1,b:1', 'a:1,b:1'],
    ['redis://a/0,b/0', 'redis://a/0,b/0'],
  ])('is refused as %s', (redis, shown) => {
    expect(refusalOf(redis)).toBe(
      `LeaderElectionModule: expected \`redis\` to be one address, got \`'${shown}'\` (string). Several servers are ` +
        'given as an array: `redis: [a, b, c]`. A comma in a password is written %2C, and an @ %40.',
    );
  });

  it.each(['redis://:s,s@a', 'redis://a?clientInfoTag=x,y', '/tmp/a,b'])('is not %s', (redis) => {
    expect(() => validate({ redis })).not.toThrow();
  });

  const url = 'redis://u:s3cret@a';
  it.each<[string, unknown]>([
    ['Set', new Set([url])],
    ['Map', new Map([[url, url]])],
    ['Array Iterator', [url].values()],
    // oxlint-disable-next-line no-new-wrappers, unicorn/new-for-builtins -- a user may
    ['String', new String(url)],
  ])('is refused as a %s', (kind, redis) => {
    expect(refusalOf(redis)).toBe(
      'LeaderElectionModule: expected `redis` to be a URL, ioredis options, or an ioredis client, got ' +
        `\`[object ${kind}]\`. Several servers are given as an array: \`redis: [a, b, c]\`.`,
    );
  });

  it('is refused as an array in an array, without what is in it', () => {
    expect(refusalOf(['redis://b', [url]])).toMatch(/^(?!.*s3cret).*`redis\[1\]`.*an array/);
  });
});

describe('Sentinels', () => {
  const noName = { sentinels: [{ host: 's', port: 26379 }], sentinelPassword: 's3cret' };

  it('are refused without the name of the primary', () => {
    const message =
      'LeaderElectionModule: expected `redis.name` to be the name by which the Sentinels know the primary, got ' +
      "`undefined`. Example: `{ sentinels, name: 'mymaster' }`.";
    expect(() => LeaderElectionModule.forRoot({ redis: noName })).toThrow(new TypeError(message));
    expect(refusalOf({ ...noName, name: '' })).toContain('`redis.name`');
    expect(refusalOf(['redis://a', noName, 'redis://b'])).toContain('expected `redis[1].name`');
  });

  it.each([
    [[], 'none'],
    [['s:26379'], '`[object String]`'],
    [{ host: 's' }, '`[object Object]`'],
    ['s:26379', '`[object String]`'],
  ])('are refused as %j', (given, shown) => {
    expect(refusalOf({ sentinels: given, name: 'mymaster' })).toContain(
      `expected \`redis.sentinels\` to be an array of \`{ host, port }\`, got ${shown}. Give the addresses`,
    );
  });

  it('may be left out', () => {
    expect(() => validate({ redis: { host: 'a', sentinels: undefined } })).not.toThrow();
  });
});

it.each([
  ['redis://u:s3cret@h:99999', 'redis://***@h:99999'],
  ['redis://u:s3/cret@h', 'redis://***@h'],
  ['redis://:6379', 'redis://:6379'],
])('An address that ioredis cannot read is refused: %s', (redis, shown) => {
  expect(refusalOf(redis)).toBe(
    `LeaderElectionModule: expected \`redis\` to be an address that ioredis can read, got \`'${shown}'\` (string). Is ` +
      'the host there, and the port a number, and the password percent-encoded?',
  );
});
