import { InMemoryLeaseStore } from '../../../lib/index.js';
import type { LeaderElectionOptions } from '../../../lib/index.js';
import { validateRootOptions } from '../../../lib/options/validate-options.js';

/** As plain JavaScript and environment variables may call it. */
export function validate(options: unknown): void {
  validateRootOptions(options as LeaderElectionOptions);
}

/** The message with which these options, on a store in memory, are refused. */
export function messageOf(options: Record<string, unknown>): string {
  try {
    validate({ store: new InMemoryLeaseStore(), ...options });
  } catch (error) {
    if (error instanceof Error) return error.message;
  }
  throw new Error('The options were accepted.');
}
