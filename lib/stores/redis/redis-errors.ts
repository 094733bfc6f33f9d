import { LeaseStoreError, type StoreErrorKind } from '../../election/election.errors.js';

/** What a person can do about an error that does not go away by itself. */
const MISCONFIGURED: readonly (readonly [RegExp, string])[] = [
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
  [/unknown command|SELECT is not allowed/i, 'Use Redis 6.2 or newer, or Valkey.'],
  [/ERR_TLS|SSL routines|self[- ]signed certificate|certificate/i, 'Check `tls` in `redis`.'],
];

/** Redis begins an error with a word in capitals (`OOM …`, `ERR …`); what fails on the way there does not. */
const REDIS_ANSWERED = /^[A-Z]{2,} /;

/** Turns whatever the client library threw into one error with a kind, and with a remedy where a person is needed. */
export function toStoreError(error: unknown): LeaseStoreError {
  if (error instanceof LeaseStoreError) return error;
  const message = messageOf(error);
  const [, remedy] = MISCONFIGURED.find(([pattern]) => pattern.test(message)) ?? [];
  const kind: StoreErrorKind = remedy
    ? 'misconfigured'
    : REDIS_ANSWERED.test(message)
      ? 'unavailable'
      : 'unreachable';
  return new LeaseStoreError(kind, remedy ? `${message.replace(/\.?$/, '.')} ${remedy}` : message, {
    cause: error,
  });
}

function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return messageOf(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  return error.message || error.name;
}
