/** What the command line asks for. */
import { parseArgs } from 'node:util';

import type { HoldOff } from '../../lib/election/lease-store.interface.js';
import { FAMILIES, type FamilyName } from './faults/families.js';

export interface Request {
  readonly runs: number;
  readonly seed: number;
  readonly families: readonly FamilyName[];
  readonly holdOffs: readonly HoldOff[];
  readonly workers: number;
  readonly path: string | undefined;
  readonly reduceForMs: number;
}

const DEFAULT_RUNS = '10000';
/** A report within seconds is worth more than the smallest plan. */
const DEFAULT_REDUCE_FOR_MS = '4000';

/** Throws an error that says what is wrong. */
export function parseCommandLine(args: readonly string[]): Request {
  const { values } = parseArgs({
    args: [...args],
    options: {
      runs: { type: 'string', default: DEFAULT_RUNS },
      seed: { type: 'string', default: String(Date.now() % 1e9) },
      family: { type: 'string', multiple: true, default: Object.keys(FAMILIES) },
      'hold-off': { type: 'string', multiple: true, default: ['always', 'auto'] },
      workers: { type: 'string', default: '1' },
      path: { type: 'string' },
      'reduce-for': { type: 'string', default: DEFAULT_REDUCE_FOR_MS },
    },
  });
  return {
    runs: wholeNumber('runs', values.runs),
    seed: wholeNumber('seed', values.seed),
    families: values.family.map(familyOf),
    holdOffs: values['hold-off'].map(holdOffOf),
    workers: wholeNumber('workers', values.workers),
    path: values.path,
    reduceForMs: wholeNumber('reduce-for', values['reduce-for']),
  };
}

function wholeNumber(option: string, value: string): number {
  if (!/^\d+$/.test(value)) throw new Error(`Expected --${option} to be a number, got ${value}`);
  return Number(value);
}

function familyOf(name: string): FamilyName {
  if (Object.hasOwn(FAMILIES, name)) return name as FamilyName;
  throw new Error(
    `Expected --family to be one of ${Object.keys(FAMILIES).join(', ')}, got ${name}`,
  );
}

function holdOffOf(value: string): HoldOff {
  if (value === 'always' || value === 'auto') return value;
  throw new Error(`Expected --hold-off to be always or auto, got ${value}`);
}
