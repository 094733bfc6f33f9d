import type { ElectionTiming } from '../election/election-config.interface.js';
import { retryDelayMs } from '../election/election-context.js';
import type { ElectionOptions } from './leader-election-options.interface.js';
import { wrongType, wrongValue } from './option.errors.js';

const DEFAULT_TTL_MS = 10_000;
/**
 * A little more often than three times: a follower looks when the lease that it saw ends, and the third renewal after
 * that one should have come by then.
 */
const RENEW_PART_OF_TTL = 0.33;
const DEFAULT_DRAIN_MS = 10_000;
const MIN_TTL_MS = 100;
const MIN_COMMAND_TIMEOUT_MS = 10;
/** setTimeout counts in 31 bits; a ttl of that size is a mistake in the unit anyway. */
const MAX_MS = 2 ** 31 - 1;
/** Covers a candidate's clock and a store's that each run one percent off. */
const MIN_MARGIN_PART_OF_TTL = 1 / 50;
/** Covers what `LeaseTime` cannot see. */
const MIN_MARGIN_MS = 5;
/** A timeout and a retry each come up to a millisecond late, by rounding. */
const LATE_PER_TRY_MS = 2;

/** Fills in the defaults and checks each duration and how they relate. Throws a TypeError or RangeError. */
export function resolveTiming(options: ElectionOptions): ElectionTiming {
  const timing = resolveDurations(options);
  assertTiming(timing);
  return timing;
}

/** The same without how they relate: a feature may leave out what only its root tells. */
export function resolveDurations(options: ElectionOptions): ElectionTiming {
  const leaseTtlMs = duration(options, 'leaseTtlMs', DEFAULT_TTL_MS, MIN_TTL_MS);
  return {
    leaseTtlMs,
    renewIntervalMs: duration(options, 'renewIntervalMs', leaseTtlMs * RENEW_PART_OF_TTL, 1),
    safetyMarginMs: duration(options, 'safetyMarginMs', leaseTtlMs / 5, 1),
    commandTimeoutMs: duration(options, 'commandTimeoutMs', leaseTtlMs / 6, MIN_COMMAND_TIMEOUT_MS),
    drainTimeoutMs: duration(options, 'drainTimeoutMs', DEFAULT_DRAIN_MS, 0),
  };
}

/**
 * Rule 10: at least three tries fit in a lease, even when each hangs until its timeout. The third must start before
 * the deadline: renewIntervalMs + 2 × (commandTimeoutMs + retry delay) < leaseTtlMs − safetyMarginMs.
 */
export function assertTiming(timing: ElectionTiming): void {
  const { leaseTtlMs, renewIntervalMs, safetyMarginMs, commandTimeoutMs } = timing;
  const minMarginMs = Math.max(MIN_MARGIN_MS, Math.ceil(leaseTtlMs * MIN_MARGIN_PART_OF_TTL));
  if (safetyMarginMs < minMarginMs) {
    throw wrongValue(
      'safetyMarginMs',
      `at least ${minMarginMs} (leaseTtlMs / 50, and never below ${MIN_MARGIN_MS})`,
      safetyMarginMs,
      'Clocks that run at different rates eat up a smaller margin. Leave it out for a fifth of the lease.',
    );
  }
  const retryMs = Math.ceil(retryDelayMs(leaseTtlMs)) + LATE_PER_TRY_MS;
  const thirdTryMs = renewIntervalMs + 2 * (commandTimeoutMs + retryMs);
  const validMs = leaseTtlMs - safetyMarginMs;
  if (thirdTryMs >= validMs) {
    throw new RangeError(
      'LeaderElectionModule: three renewals must fit in one lease: expected `renewIntervalMs` + 2 × ' +
        `(\`commandTimeoutMs\` + ${retryMs} ms between tries) < \`leaseTtlMs\` - \`safetyMarginMs\`, got ` +
        `${renewIntervalMs} + 2 × (${commandTimeoutMs} + ${retryMs}) = ${thirdTryMs} >= ${leaseTtlMs} - ` +
        `${safetyMarginMs} = ${validMs}. Raise \`leaseTtlMs\`, or lower \`renewIntervalMs\` or ` +
        '`commandTimeoutMs`; left out, they follow from `leaseTtlMs`.',
    );
  }
}

type DurationOption = keyof ElectionTiming;

function duration(
  options: ElectionOptions,
  option: DurationOption,
  defaultMs: number,
  minMs: number,
): number {
  // Read as unknown: plain JavaScript and environment variables bring anything.
  const value: unknown = options[option];
  if (value === undefined) return Math.floor(defaultMs);
  const expected = `a whole number of milliseconds from ${minMs} to ${MAX_MS}`;
  if (typeof value !== 'number') {
    const remedy =
      typeof value === 'string'
        ? 'Environment variables are strings: convert it with Number().'
        : '';
    throw wrongType(option, expected, value, remedy);
  }
  if (!Number.isInteger(value) || value < minMs || value > MAX_MS) {
    throw wrongValue(option, expected, value);
  }
  return value;
}
