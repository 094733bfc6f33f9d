import { LeaseStoreError, type StoreErrorKind } from '../../election/election.errors.js';

type Rule = readonly [pattern: RegExp, remedy: string];

/** What a person can do about an error that does not go away by itself. */
const MISCONFIGURED: readonly Rule[] = [
  [/WRONGPASS|NOAUTH|invalid password/, 'Check the user name and password in `redis`.'],
  [
    /NOPERM|ACL failure|has no permissions|user executing the script can't/,
    'Give this Redis user the commands, keys and channels that the README lists.',
  ],
  [
    /WRONGTYPE/,
    'Another program uses this key: choose another `keyPrefix` or `name`, or delete the key.',
  ],
  [
    /CROSSSLOT/,
    'The lease and its record must share a Cluster slot: leave `{}` out of `keyPrefix` and `name`.',
  ],
  [
    /^(MOVED|ASK) \d/,
    'This Redis is one node of a Cluster: give `redis` an ioredis `Cluster` that begins with it.',
  ],
  [
    /No such master|but got an invalid reply/,
    'This Sentinel knows no primary of that name: check `name` in `redis`.',
  ],
  [/unknown command|SELECT is not allowed/i, 'Use Redis 6.2 or newer, or Valkey.'],
  [
    /ERR_TLS|SSL routines|self[- ]signed certificate|certificate/i,
    "Check `tls` in `redis`: `ca` must hold the authority that signed the server's certificate.",
  ],
];

/** What Redis refuses for the time being, and what it waits for. Every one of these is tried again. */
const UNAVAILABLE: readonly Rule[] = [
  [/\bLOADING\b/, 'It was restarted, and serves when its data is loaded.'],
  [
    /\bREADONLY\b/,
    'This Redis is a replica: where that does not pass with a failover, give `redis` the address of the primary, or ' +
      'the Sentinels.',
  ],
  [/\bOOM\b/, 'Its memory is full: raise maxmemory, or use another Redis for elections.'],
  [/\bMISCONF\b/, 'It cannot save its data and takes no writes: look at its disk and its log.'],
  [/\bMASTERDOWN\b/, 'It is a replica that has lost its primary, and waits for a failover.'],
  [
    /\bNOREPLICAS\b/,
    'Fewer replicas are in sync than its min-replicas-to-write asks for: look at the replicas.',
  ],
  [/\bCLUSTERDOWN\b/, 'Some slots have no primary now: look at the nodes of the Cluster.'],
  [/\bTRYAGAIN\b/, 'The slot of this election is being moved to another node.'],
  [
    /\bBUSY\b/,
    "Another program's script blocks it: SCRIPT KILL ends that, if it has written nothing.",
  ],
];

/** Redis begins an error with a word in capitals (`OOM …`, `ERR …`); what fails on the way there does not. */
const REDIS_ANSWERED = /^[A-Z]{2,} /;

/** Turns whatever the client library threw into one error with a kind, and with a remedy where there is one. */
export function toStoreError(error: unknown): LeaseStoreError {
  if (error instanceof LeaseStoreError) return error;
  const message = messageOf(error);
  const remedy = remedyIn(MISCONFIGURED, message);
  if (remedy !== undefined) return storeError('misconfigured', message, remedy, error);
  const kind = REDIS_ANSWERED.test(message) ? 'unavailable' : 'unreachable';
  return storeError(kind, message, remedyIn(UNAVAILABLE, message), error);
}

/** What ioredis waits for without a word, as Redis would put it. */
export function stillLoading(): LeaseStoreError {
  return toStoreError(new Error('LOADING Redis is loading its data'));
}

/** Whether an error that follows another one tells less than that did, and should not hide it. */
export function tellsLess({ message }: LeaseStoreError, before: LeaseStoreError): boolean {
  if (message === 'Connection is closed.') return true;
  return before.kind === 'misconfigured' && message.startsWith('All sentinels are unreachable');
}

function remedyIn(rules: readonly Rule[], message: string): string | undefined {
  return rules.find(([pattern]) => pattern.test(message))?.[1];
}

function storeError(
  kind: StoreErrorKind,
  message: string,
  remedy: string | undefined,
  cause: unknown,
): LeaseStoreError {
  const text = remedy === undefined ? message : `${message.replace(/\.?$/, '.')} ${remedy}`;
  return new LeaseStoreError(kind, text, { cause });
}

function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return messageOf(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  // Of a Cluster of which no node answers ioredis says so, and keeps what the last one said.
  if ('lastNodeError' in error && error.lastNodeError) return messageOf(error.lastNodeError);
  return error.message || error.name;
}
