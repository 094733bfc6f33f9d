import { LeaseStoreError, type StoreErrorKind } from '../../election/election.errors.js';
import { majorityOf, type Tally } from './collect.js';

/** What a person must act on comes first. */
const GRAVEST_FIRST: readonly StoreErrorKind[] = ['misconfigured', 'unavailable', 'unreachable'];

/**
 * Too many servers gave no answer for a clear yes or no. It tells the gravest of their errors, in the same words
 * whichever of them was the first to fail, or each repetition would be news to the log.
 */
export function noMajority<T>(
  operation: string,
  { no, failed }: Tally<T>,
  members: number,
): LeaseStoreError {
  const causes = failed.map(asStoreError);
  causes.sort((a, b) => gravityOf(a) - gravityOf(b) || a.message.localeCompare(b.message));
  const [cause = asStoreError(null)] = causes;
  const refused = no.length === 0 ? '' : ` and ${no.length} refused`;
  return new LeaseStoreError(
    cause.kind,
    `${failed.length} of ${members} servers gave no answer to ${operation}${refused}, of which ` +
      `${majorityOf(members)} must agree: ${cause.message}`,
    { cause },
  );
}

function asStoreError(error: unknown): LeaseStoreError {
  if (error instanceof LeaseStoreError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new LeaseStoreError('unavailable', message, { cause: error });
}

function gravityOf({ kind }: LeaseStoreError): number {
  return GRAVEST_FIRST.indexOf(kind);
}
