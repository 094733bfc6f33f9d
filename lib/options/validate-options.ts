import { makesEmptyHashTag } from '../stores/redis/redis-keys.js';
import { EVENT_NAMES } from '../events/tell-listeners.js';
import type {
  ElectionOptions,
  LeaderElectionOptions,
} from './leader-election-options.interface.js';
import { show, wrongType, wrongValue } from './option.errors.js';
import { resolveDurations, resolveTiming } from './timing.js';
import { assertRedis } from './validate-redis.js';

/** Far more than any primary has; a larger number is a mistake. */
const MAX_REPLICAS = 100;
const MAX_NAME_LENGTH = 200;
const MAX_METADATA_LENGTH = 4096;

const ELECTION_OPTIONS = [
  'name',
  'leaseTtlMs',
  'renewIntervalMs',
  'safetyMarginMs',
  'commandTimeoutMs',
  'drainTimeoutMs',
  'holdOff',
  'minReplicaAcks',
  'campaign',
  'metadata',
] as const satisfies readonly (keyof ElectionOptions)[];

const ROOT_OPTIONS = [
  ...ELECTION_OPTIONS,
  'redis',
  'store',
  'keyPrefix',
  'nodeId',
  'events',
] as const satisfies readonly (keyof LeaderElectionOptions)[];

/** Throws a TypeError or RangeError that names the option, its value and the remedy. Does no I/O. */
export function validateRootOptions(options: LeaderElectionOptions): void {
  assertKnown('forRoot', options, ROOT_OPTIONS);
  validateElection(options);
  resolveTiming(options);
  assertName('keyPrefix', options.keyPrefix);
  assertText('nodeId', options.nodeId);
  assertEvents(options.events);
  assertOneStore(options);
}

/** The same for `forFeature`. */
export function validateFeatureOptions(options: ElectionOptions): void {
  assertKnown('forFeature', options, ELECTION_OPTIONS);
  if (options.name === undefined) {
    throw wrongType(
      'name',
      'the name of a further election',
      options.name,
      "Example: forFeature('reports').",
    );
  }
  validateElection(options);
  // Without a lease of its own it has the root's, which is not known here; the factory checks how they relate.
  if (options.leaseTtlMs === undefined) resolveDurations(options);
  else resolveTiming(options);
}

function validateElection(options: ElectionOptions): void {
  assertName('name', options.name);
  assertOneOf('holdOff', options.holdOff, ['auto', 'always', 'never']);
  assertOneOf('campaign', options.campaign, [true, false]);
  assertMetadata(options.metadata);
  assertReplicaAcks(options.minReplicaAcks);
}

function assertReplicaAcks(acks: unknown): void {
  const expected = `a whole number from 0 to ${MAX_REPLICAS}`;
  if (acks === undefined) return;
  if (typeof acks !== 'number') throw wrongType('minReplicaAcks', expected, acks);
  if (!Number.isInteger(acks) || acks < 0 || acks > MAX_REPLICAS) {
    throw wrongValue('minReplicaAcks', expected, acks, 'It is the number of replicas, not a time.');
  }
}

function assertOneStore(options: LeaderElectionOptions): void {
  const redis: unknown = options.redis;
  const store: unknown = options.store;
  if (given(redis) && given(store)) {
    throw new TypeError('LeaderElectionModule: give `redis` or `store`, not both.');
  }
  if (given(store)) {
    assertStore(store);
    return;
  }
  if (!given(redis) || redis === '') {
    const why = 'redis' in options ? ` \`redis\` is ${show(redis)}: is REDIS_URL set?` : '';
    throw new TypeError(
      `LeaderElectionModule: neither \`redis\` nor \`store\` is given.${why} Without a shared store every replica ` +
        'would lead. Give `redis` (a URL, ioredis options or a client); in tests give `store: new InMemoryLeaseStore()`.',
    );
  }
  assertRedis(redis);
}

function assertEvents(events: unknown): void {
  if (events === undefined) return;
  const expected = `an object of functions named ${EVENT_NAMES.join(', ')}`;
  if (typeof events !== 'object' || events === null || Array.isArray(events)) {
    throw wrongType('events', expected, events);
  }
  // A listener may be a class instance with methods and fields of its own, so only what is named like an event counts.
  const listener = events as Record<string, unknown>;
  const names: readonly string[] = EVENT_NAMES;
  const isPlain = [Object.prototype, null].includes(Object.getPrototypeOf(events) as object | null);
  for (const key of isPlain ? Object.keys(events) : names) {
    const value = listener[key];
    if (!names.includes(key) || (value !== undefined && typeof value !== 'function')) {
      throw wrongType(`events.${key}`, `a function, and an event (${names.join(', ')})`, value);
    }
  }
}

function given(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function assertStore(store: unknown): void {
  const methods = ['acquire', 'renew', 'release', 'inspect', 'watch', 'close'] as const;
  const missing = methods.filter(
    (method) => typeof (store as Record<string, unknown>)[method] !== 'function',
  );
  if (missing.length > 0) {
    throw wrongType('store', `a LeaseStore (it lacks ${missing.join(', ')})`, store);
  }
}

function assertKnown(where: string, options: unknown, known: readonly string[]): void {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError(
      `LeaderElectionModule.${where}: expected an options object, got \`${String(options)}\`.`,
    );
  }
  for (const key of Object.keys(options)) {
    if (known.includes(key)) continue;
    const meant = known.find((name) => name.toLowerCase().includes(key.toLowerCase()));
    throw new TypeError(
      `LeaderElectionModule.${where}: unknown option \`${key}\`.` +
        (meant === undefined ? ` Known are: ${known.join(', ')}.` : ` Did you mean \`${meant}\`?`),
    );
  }
}

function assertName(option: string, value: unknown): void {
  assertText(option, value);
  if (option === 'name' && typeof value === 'string' && /^\{.*\}$/.test(value)) {
    throw wrongValue(
      option,
      'without braces around it',
      value,
      'They are added to the keys in Redis.',
    );
  }
  if (typeof value === 'string' && makesEmptyHashTag(value)) {
    throw wrongValue(
      option,
      'without `{}`, and not to begin with `}`',
      value,
      'An empty hash tag puts the keys of one election in different Cluster slots.',
    );
  }
}

function assertText(option: string, value: unknown): void {
  if (value === undefined) return;
  const expected = `a string of 1 to ${MAX_NAME_LENGTH} characters without control characters`;
  if (typeof value !== 'string') throw wrongType(option, expected, value);
  // oxlint-disable-next-line no-control-regex -- control characters are what must not be there
  if (value.length === 0 || value.length > MAX_NAME_LENGTH || /[\u0000-\u001f\u007f]/.test(value)) {
    throw wrongValue(option, expected, value);
  }
}

function assertMetadata(metadata: unknown): void {
  if (metadata === undefined) return;
  const expected = `a flat map of strings of at most ${MAX_METADATA_LENGTH} characters as JSON`;
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) {
    throw wrongType('metadata', expected, metadata);
  }
  if (Object.values(metadata).some((value) => typeof value !== 'string')) {
    throw wrongType('metadata', expected, metadata);
  }
  if (JSON.stringify(metadata).length > MAX_METADATA_LENGTH) {
    throw wrongValue('metadata', expected, metadata, 'Every refused candidate is sent all of it.');
  }
}

function assertOneOf(option: string, value: unknown, allowed: readonly unknown[]): void {
  if (value === undefined || allowed.includes(value)) return;
  const list = allowed.map((item) => JSON.stringify(item)).join(' | ');
  throw wrongValue(option, list, value);
}
