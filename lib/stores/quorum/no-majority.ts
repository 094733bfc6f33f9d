import { LeaseStoreError } from '../../election/election.errors.js';
import { majorityOf, type Tally } from './collect.js';

/** Too many servers gave no answer for a clear yes or no. Its kind is that of the first one that failed. */
export function noMajority<T>(
  operation: string,
  { yes, no, failed }: Tally<T>,
  members: number,
): LeaseStoreError {
  const [cause] = failed;
  const kind = cause instanceof LeaseStoreError ? cause.kind : 'unavailable';
  const reason = cause instanceof Error ? `: ${cause.message}` : '.';
  return new LeaseStoreError(
    kind,
    `${yes.length + no.length} of ${members} servers answered to ${operation}, ${yes.length} with yes, and ` +
      `${majorityOf(members)} are needed${reason}`,
    { cause },
  );
}
