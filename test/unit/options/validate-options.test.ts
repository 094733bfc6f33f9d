import { describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';

import { InMemoryLeaseStore, LeaderElectionModule } from '../../../lib/index.js';
import { validateFeatureOptions } from '../../../lib/options/validate-options.js';
import { messageOf, validate } from './validating.js';

const store = new InMemoryLeaseStore();

describe('redis and store', () => {
  it.each([
    ['a URL', { redis: 'redis://localhost:6379/2' }],
    ['a TLS URL', { redis: 'rediss://user:secret@host' }],
    ['ioredis options', { redis: { host: 'localhost', port: 6379 } }],
    ['a store', { store }],
    ['a store and an undefined redis', { store, redis: undefined }],
    ['a redis and an undefined store', { redis: 'redis://localhost', store: undefined }],
  ])('accepts %s', (_what, options) => {
    expect(() => validate(options)).not.toThrow();
  });

  it('accepts a client', () => {
    const client = new Redis({ lazyConnect: true });
    expect(() => validate({ redis: client })).not.toThrow();
    client.disconnect();
  });

  it.each([
    [
      'neither is given',
      {},
      'LeaderElectionModule: neither `redis` nor `store` is given. Without a shared store every replica would lead. ' +
        'Give `redis` (a URL, ioredis options or a client); in tests give `store: new InMemoryLeaseStore()`.',
    ],
    [
      'REDIS_URL is not set',
      { redis: undefined },
      'LeaderElectionModule: neither `redis` nor `store` is given. `redis` is `undefined`: is REDIS_URL set? Without a ' +
        'shared store every replica would lead. Give `redis` (a URL, ioredis options or a client); in tests give ' +
        '`store: new InMemoryLeaseStore()`.',
    ],
    [
      'both are given',
      { redis: 'redis://localhost', store },
      'LeaderElectionModule: give `redis` or `store`, not both.',
    ],
    [
      'redis is a number',
      { redis: 6379 },
      'LeaderElectionModule: expected `redis` to be a URL, ioredis options, or an ioredis client, got `6379` (number).',
    ],
    [
      'the store is not one',
      { store: { acquire() {}, renew() {}, inspect() {} } },
      'LeaderElectionModule: expected `store` to be a LeaseStore (it lacks release, watch, close), got `{ acquire: ' +
        '[Function: acquire], renew: [Function: renew], inspect: [Function: inspect] }` (object).',
    ],
  ])('refuses it when %s', (_what, options, message) => {
    expect(() => validate(options)).toThrow(new TypeError(message));
  });

  it.each([
    [
      'two servers are given',
      { redis: ['redis://a', 'redis://user:secret@b'] },
      'LeaderElectionModule: expected `redis` to be one server, or an odd number of independent ones from 3, got 2. A ' +
        'majority of them must be up: of 3 one may fail, of 4 only one as well. A Sentinel or Cluster counts as one ' +
        'server; give it as one client.',
    ],
    [
      'one server of a quorum is given twice',
      { redis: ['redis://a', { host: 'b' }, { host: 'b', port: 6379, db: 1 }] },
      'LeaderElectionModule: `redis[2]` is the same server as `redis[1]`, b:6379. A quorum needs independent servers: ' +
        'where one counts twice, one failure makes two leaders. Give each server once; another database, user or name ' +
        'of it is no other server.',
    ],
    [
      'one server of a quorum is no address',
      { redis: ['redis://a', 'redis://b', 'http://user:secret@c'] },
      'LeaderElectionModule: expected `redis[2]` to be a URL that begins with redis:// or rediss://, got ' +
        "`'http://***@c'` (string).",
    ],
  ])('refuses it when %s', (_what, options, message) => {
    expect(() => validate(options)).toThrow(new RangeError(message));
  });

  it('accepts three servers', () => {
    expect(() => validate({ redis: ['redis://a', { host: 'b' }, 'redis://c'] })).not.toThrow();
  });

  it.each(['', null])('takes %p for a REDIS_URL that is not set', (redis) => {
    expect(() => validate({ redis })).toThrow('is REDIS_URL set?');
  });

  it('never elects in memory by accident: forRoot refuses at once', () => {
    expect(() => LeaderElectionModule.forRoot({ redis: undefined })).toThrow(TypeError);
  });
});

describe('names', () => {
  it.each(['billing', 'a b', 'a:b', 'pre{tag}post', 'ü', 'x'.repeat(200), '{', '{x', 'x}'])(
    'accepts %p',
    (name) => {
      expect(() => validate({ store, name, keyPrefix: name })).not.toThrow();
    },
  );

  it.each(['', 'x'.repeat(201), 'a\nb', 'a\u0000', '{}', 'jobs{}', '}', '}x{y}'])(
    'refuses %j as name and as keyPrefix',
    (name) => {
      expect(() => validate({ store, name })).toThrow(RangeError);
      expect(() => validate({ store, keyPrefix: name })).toThrow(RangeError);
    },
  );

  it('refuses a name that would share the keys of another, and allows it as a prefix', () => {
    expect(messageOf({ name: '{tag}' })).toBe(
      "LeaderElectionModule: expected `name` to be without braces around it, got `'{tag}'` (string). They are added to " +
        'the keys in Redis.',
    );
    expect(() => validate({ store, keyPrefix: '{tag}' })).not.toThrow();
  });

  it.each([5, null, 'x', { renewd: () => undefined }, { renewed: 5 }])(
    'refuses %j as events, and names those there are',
    (events) => {
      expect(() => validate({ store, events })).toThrow(/renewed, storeFailed/);
    },
  );

  it('takes a listener that is an instance with methods and fields of its own', () => {
    class Metrics {
      readonly total = 0;
      renewed(): void {}
      other(): void {}
    }
    expect(() => validate({ store, events: new Metrics() })).not.toThrow();
  });

  it.each(['http://localhost:6379', 'not a url at all', 'redis:/x', 'redis://'])(
    'refuses %j as redis',
    (redis) => {
      expect(() => validate({ redis })).toThrow('a URL that begins with redis:// or rediss://');
    },
  );

  it.each([
    'redis://h',
    'rediss://u:p@h:1/2?x=y',
    'h:6379',
    'h',
    '127.0.0.1:1',
    '[::1]:1',
    '/tmp/s',
    '6379',
    'h:1?db=2',
    'u:p@h:1',
    ':p@h:1',
    'bücher.example',
  ])('takes %j as redis', (redis) => {
    expect(() => validate({ redis })).not.toThrow();
  });

  it('says that ioredis would connect elsewhere with an option it does not have', () => {
    expect(() => validate({ redis: { url: 'redis://u:s3cret@h' } })).toThrow(
      /^(?!.*s3cret).*Give the URL itself as a string/,
    );
    expect(() => validate({ redis: new URL('redis://u:p@prod:6380') })).toThrow(TypeError);
    expect(() => validate({ redis: { socket: { host: 'h' } } })).toThrow('redis.socket');
    expect(() => validate({ redis: { host: undefined, port: 1 } })).toThrow(
      'is its environment variable set?',
    );
    expect(() => validate({ redis: { port: 6379 } })).not.toThrow();
  });

  it('shows no password of an address that it refuses', () => {
    expect(() => validate({ redis: 'redis://u:s3cret@h:1\n' })).toThrow(
      /^(?!.*s3cret).*got `'redis:\/\/\*\*\*@h:1\\n'`/,
    );
  });

  it('shows no more of a long value than helps', () => {
    expect(messageOf({ metadata: { x: 'y'.repeat(5_000) } }).length).toBeLessThan(500);
  });

  it('says why an empty hash tag is refused', () => {
    expect(messageOf({ name: 'jobs{}' })).toBe(
      "LeaderElectionModule: expected `name` to be without `{}`, and not to begin with `}`, got `'jobs{}'` (string). An " +
        'empty hash tag puts the keys of one election in different Cluster slots.',
    );
  });

  it('F-19: looks at the prefix of a client, and of ioredis options, too', () => {
    const client = new Redis({ lazyConnect: true, keyPrefix: 'app{}' });
    expect(() => validate({ redis: client })).toThrow('`redis.options.keyPrefix`');
    client.disconnect();
    expect(() => validate({ redis: { host: 'a', keyPrefix: 'app{}' } })).toThrow(
      '`redis.keyPrefix`',
    );
  });

  it.each([5, null, {}, Symbol('x')])('refuses %p, which is not a string', (name) => {
    expect(() => validate({ store, name })).toThrow(TypeError);
    expect(() => validate({ store, nodeId: name })).toThrow(TypeError);
    expect(() => validate({ store, keyPrefix: name })).toThrow(TypeError);
  });
});

describe('further options', () => {
  it.each([
    { holdOff: 'auto' },
    { holdOff: 'always' },
    { holdOff: 'never' },
    { campaign: true },
    { campaign: false },
    { minReplicaAcks: 0 },
    { minReplicaAcks: 2 },
    { metadata: {} },
    { metadata: { url: 'http://10.0.0.1' } },
    { nodeId: 'pod-1' },
    { events: {} },
  ])('accepts %j', (options) => {
    expect(() => validate({ store, ...options })).not.toThrow();
  });

  it.each([
    [
      { holdOff: 'sometimes' },
      `LeaderElectionModule: expected \`holdOff\` to be "auto" | "always" | "never", got \`'sometimes'\` (string).`,
    ],
    [
      { campaign: 'false' },
      "LeaderElectionModule: expected `campaign` to be true | false, got `'false'` (string).",
    ],
    [
      { minReplicaAcks: -1 },
      'LeaderElectionModule: expected `minReplicaAcks` to be a whole number from 0 to 100, got `-1` (number). It is ' +
        'the number of replicas, not a time.',
    ],
    [
      { minReplicaAcks: '1' },
      "LeaderElectionModule: expected `minReplicaAcks` to be a whole number from 0 to 100, got `'1'` (string).",
    ],
    [
      { metadata: { port: 3000 } },
      'LeaderElectionModule: expected `metadata` to be a flat map of strings of at most 4096 characters as JSON, got ' +
        '`{ port: 3000 }` (object).',
    ],
  ])('refuses %j', (options, message) => {
    expect(messageOf(options)).toBe(message);
  });

  it.each([null, [], 'url', { deep: { a: 'b' } }, { long: 'x'.repeat(4096) }])(
    'refuses %j as metadata',
    (metadata) => {
      expect(() => validate({ store, metadata })).toThrow('`metadata`');
    },
  );
});

describe('unknown options', () => {
  it.each([
    ['ttl', 'leaseTtlMs'],
    ['leaseTtl', 'leaseTtlMs'],
    ['leaseTTLMs', 'leaseTtlMs'],
    ['renewInterval', 'renewIntervalMs'],
    ['prefix', 'keyPrefix'],
    ['holdoff', 'holdOff'],
  ])('asks for %s whether %s was meant', (key, meant) => {
    expect(messageOf({ [key]: 1 })).toBe(
      `LeaderElectionModule.forRoot: unknown option \`${key}\`. Did you mean \`${meant}\`?`,
    );
  });

  it('lists what is known where nothing is similar', () => {
    expect(messageOf({ quorum: 3 })).toBe(
      'LeaderElectionModule.forRoot: unknown option `quorum`. Known are: name, leaseTtlMs, renewIntervalMs, ' +
        'safetyMarginMs, commandTimeoutMs, drainTimeoutMs, holdOff, minReplicaAcks, campaign, metadata, redis, store, ' +
        'keyPrefix, nodeId, events.',
    );
  });

  it.each([undefined, null, 'redis://localhost', 5])(
    'refuses %p in place of options',
    (options) => {
      expect(() => validate(options)).toThrow(TypeError);
      expect(() => validate(options)).toThrow('expected an options object');
    },
  );

  it('refuses in a feature what belongs to the root', () => {
    expect(() => validateFeatureOptions({ name: 'reports', redis: 'redis://x' } as object)).toThrow(
      'LeaderElectionModule.forFeature: unknown option `redis`.',
    );
  });

  it('refuses a feature without a name', () => {
    expect(() => validateFeatureOptions({})).toThrow(
      new TypeError(
        'LeaderElectionModule: expected `name` to be the name of a further election, got `undefined`. Example: ' +
          "forFeature('reports').",
      ),
    );
  });
});
