import { describe, expect, it } from '@jest/globals';

import type { HoldOff } from '../../lib/election/lease-store.interface.js';
import { playBatch } from './batch.js';
import { FAMILIES, type FamilyName } from './faults/families.js';
import { tellFailure } from './report.js';

/** In all families together more than 2,000; `npm run test:simulation` plays as many as you like. */
const RUNS = 130;
const REDUCE_FOR_MS = 4000;
/** One that everybody gets: what is found here must not depend on the day. */
const SEED = 2030;

const CASES = (Object.keys(FAMILIES) as FamilyName[]).flatMap((family) =>
  (['always', 'auto'] as const).map((holdOff): [FamilyName, HoldOff] => [family, holdOff]),
);

describe('random elections', () => {
  it.each(CASES)('keep every promise under the faults "%s" with holdOff "%s"', async (...names) => {
    const [family, holdOff] = names;
    const batch = { family, holdOff, runs: RUNS, seed: SEED, reduceForMs: REDUCE_FOR_MS };
    const { runs, grants, failure } = await playBatch(batch);
    if (failure !== null) throw new Error(await tellFailure(failure));
    expect(runs).toBe(RUNS);
    // They were elections at all: leaders were lost and followed.
    expect(grants).toBeGreaterThan(2 * runs);
  });
});
