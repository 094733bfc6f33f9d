import { describe, expect, it } from '@jest/globals';
import { assert, integer, property, record } from 'fast-check';

import { retryDelayMs } from '../../../lib/election/election-context.js';
import { InMemoryLeaseStore, type ElectionOptions } from '../../../lib/index.js';
import { resolveTiming } from '../../../lib/options/timing.js';
import { messageOf, validate } from './validating.js';

const DURATIONS = [
  { option: 'leaseTtlMs', min: 100 },
  { option: 'renewIntervalMs', min: 1 },
  { option: 'safetyMarginMs', min: 1 },
  { option: 'commandTimeoutMs', min: 10 },
  { option: 'drainTimeoutMs', min: 0 },
] as const;

const NOT_NUMBERS = ['15000', '15s', '', null, {}, [], true, 15n, new Date(0)];
const NOT_DURATIONS = [NaN, Infinity, -Infinity, -1, 123.45, 10_001 * 0.95, 2 ** 31];

describe('durations', () => {
  it('C-02: are derived from the lease where they are left out', () => {
    expect(resolveTiming({})).toEqual({
      leaseTtlMs: 10_000,
      renewIntervalMs: 3_300,
      safetyMarginMs: 2_000,
      commandTimeoutMs: 1_666,
      drainTimeoutMs: 10_000,
    });
    expect(resolveTiming({ leaseTtlMs: 30_000 })).toMatchObject({
      renewIntervalMs: 9_900,
      safetyMarginMs: 6_000,
      commandTimeoutMs: 5_000,
    });
  });

  it.each([100, 101, 999, 1_000, 2_000, 10_001, 3_600_000, 2 ** 31 - 1])(
    'C-01 C-05: a lease of %i ms alone is enough, and everything derived is whole',
    (leaseTtlMs) => {
      const timing = resolveTiming({ leaseTtlMs });
      expect(Object.values(timing).every(Number.isInteger)).toBe(true);
      expect(timing.renewIntervalMs).toBeGreaterThanOrEqual(1);
      expect(timing.safetyMarginMs).toBeGreaterThanOrEqual(2);
      expect(timing.commandTimeoutMs).toBeGreaterThanOrEqual(10);
    },
  );

  describe.each(DURATIONS)('$option', ({ option, min }) => {
    it.each(NOT_NUMBERS)('C-02 C-03: refuses %p, and names itself', (value) => {
      const refused = validating({ [option]: value });
      expect(refused).toThrow(TypeError);
      expect(refused).toThrow(
        `expected \`${option}\` to be a whole number of milliseconds from ${min} to 2147483647, got `,
      );
    });

    it.each([...NOT_DURATIONS, min - 1])('C-01 C-02: refuses %p, and names itself', (value) => {
      const refused = validating({ [option]: value });
      expect(refused).toThrow(RangeError);
      expect(refused).toThrow(`expected \`${option}\` to be `);
      expect(refused).toThrow(`got \`${value}\` (number)`);
    });

    it('C-02: takes undefined for left out', () => {
      expect(validating({ [option]: undefined })).not.toThrow();
    });
  });

  it('C-03: says what to do about a string from the environment', () => {
    expect(messageOf({ leaseTtlMs: '15000' })).toBe(
      'LeaderElectionModule: expected `leaseTtlMs` to be a whole number of milliseconds from 100 to 2147483647, ' +
        "got `'15000'` (string). Environment variables are strings: convert it with Number().",
    );
  });

  it.each([
    // Three tries: renewIntervalMs + 2 × (commandTimeoutMs + leaseTtlMs / 30 + 2) < leaseTtlMs − safetyMarginMs.
    { renewIntervalMs: 3_995, ok: true },
    { renewIntervalMs: 3_996, ok: false },
    { renewIntervalMs: 10_000, ok: false },
    { renewIntervalMs: 1, ok: true },
    { commandTimeoutMs: 1_997, ok: true },
    { commandTimeoutMs: 1_998, ok: false },
    { commandTimeoutMs: 10, ok: true },
    { safetyMarginMs: 2_662, ok: true },
    { safetyMarginMs: 2_663, ok: false },
    { safetyMarginMs: 200, ok: true },
    { safetyMarginMs: 199, ok: false },
    { safetyMarginMs: 10_000, ok: false },
    { drainTimeoutMs: 0, ok: true },
    { drainTimeoutMs: 3_600_000, ok: true },
    { leaseTtlMs: 60_000, ok: true },
    { leaseTtlMs: 5_000, ok: false },
  ])('C-05: relates $renewIntervalMs/$commandTimeoutMs/$safetyMarginMs/$leaseTtlMs: $ok', (row) => {
    const { ok, ...over } = row;
    const base = {
      leaseTtlMs: 10_000,
      renewIntervalMs: 3_333,
      safetyMarginMs: 2_000,
      commandTimeoutMs: 1_666,
    };
    const checked = validating({ ...base, ...withoutUndefined(over) });
    if (ok) expect(checked).not.toThrow();
    else expect(checked).toThrow(RangeError);
  });

  it('C-05: says which rule is broken, with its numbers and the way out', () => {
    expect(messageOf({ leaseTtlMs: 3_000, renewIntervalMs: 2_000 })).toBe(
      'LeaderElectionModule: three renewals must fit in one lease: expected `renewIntervalMs` + 2 × ' +
        '(`commandTimeoutMs` + 102 ms between tries) < `leaseTtlMs` - `safetyMarginMs`, got ' +
        '2000 + 2 × (500 + 102) = 3204 >= 3000 - 600 = 2400. Raise `leaseTtlMs`, or lower `renewIntervalMs` or ' +
        '`commandTimeoutMs`; left out, they follow from `leaseTtlMs`.',
    );
    expect(messageOf({ safetyMarginMs: 100 })).toBe(
      'LeaderElectionModule: expected `safetyMarginMs` to be at least 200 (leaseTtlMs / 50, and never below 5), got `100` (number). ' +
        'Clocks that run at different rates eat up a smaller margin. Leave it out for a fifth of the lease.',
    );
  });

  it('T-08: in every allowed configuration three tries fit in a lease, even when each hangs', () => {
    const options = record(
      {
        leaseTtlMs: anyMs(100),
        renewIntervalMs: anyMs(1),
        safetyMarginMs: anyMs(1),
        commandTimeoutMs: anyMs(10),
      },
      { requiredKeys: ['leaseTtlMs'] },
    );
    let allowed = 0;
    assert(
      property(options, (given) => {
        const timing = allowedTiming(given);
        if (timing === null) return;
        allowed += 1;
        const { leaseTtlMs, renewIntervalMs, safetyMarginMs, commandTimeoutMs } = timing;
        // Each timer may be a millisecond late.
        const hangs = commandTimeoutMs + 1 + retryDelayMs(leaseTtlMs) + 1;
        const startsOfTries = [0, 1, 2].map((failed) => renewIntervalMs + failed * hangs);
        for (const start of startsOfTries) expect(start).toBeLessThan(leaseTtlMs - safetyMarginMs);
        expect(safetyMarginMs).toBeGreaterThanOrEqual(leaseTtlMs / 50);
      }),
      { numRuns: 5_000 },
    );
    // Or the property would hold of nothing.
    expect(allowed).toBeGreaterThan(200);
  });

  it('T-08: with the defaults three tries fit', () => {
    const { leaseTtlMs, safetyMarginMs, renewIntervalMs, commandTimeoutMs } = resolveTiming({});
    const thirdTryMs = renewIntervalMs + 2 * (commandTimeoutMs + retryDelayMs(leaseTtlMs));
    expect(thirdTryMs).toBeLessThan(leaseTtlMs - safetyMarginMs);
  });
});

function anyMs(min: number) {
  return integer({ min, max: 40_000 });
}

function validating(options: Record<string, unknown>): () => void {
  return () => validate({ store: new InMemoryLeaseStore(), ...options });
}

function allowedTiming(options: ElectionOptions): ReturnType<typeof resolveTiming> | null {
  try {
    return resolveTiming(options);
  } catch {
    return null;
  }
}

function withoutUndefined(options: object): object {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}
