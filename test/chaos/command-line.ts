/** What the command line asks for. */
import { parseArgs } from 'node:util';

import type { HoldOff } from '../../lib/index.js';
import { TOPOLOGIES, type TopologyName } from './topologies/topologies.js';

export interface Request {
  readonly minutes: number;
  readonly seed: number;
  readonly on: readonly TopologyName[];
  /** Undefined: as the topology has it. */
  readonly acks: number | undefined;
  readonly ttlMs: number | undefined;
  readonly workers: number | undefined;
  readonly holdOff: HoldOff | undefined;
  readonly allFaults: boolean;
  readonly json: string | undefined;
}

const NAMES = Object.keys(TOPOLOGIES) as TopologyName[];

/** Throws an error that says what is wrong. */
export function parseCommandLine(args: readonly string[]): Request {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: 'string', default: '5' },
      seed: { type: 'string', default: String(Date.now() % 1e6) },
      on: { type: 'string', multiple: true, default: ['all'] },
      acks: { type: 'string' },
      ttl: { type: 'string' },
      workers: { type: 'string' },
      'hold-off': { type: 'string' },
      'all-faults': { type: 'boolean', default: false },
      json: { type: 'string' },
    },
  });
  return {
    minutes: positive('minutes', values.minutes),
    seed: positive('seed', values.seed),
    on: values.on.flatMap(namesOf),
    acks: values.acks === undefined ? undefined : positive('acks', values.acks),
    ttlMs: values.ttl === undefined ? undefined : positive('ttl', values.ttl),
    workers: values.workers === undefined ? undefined : positive('workers', values.workers),
    holdOff: holdOffOf(values['hold-off']),
    allFaults: values['all-faults'],
    json: values.json,
  };
}

function positive(option: string, value: string): number {
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value);
  throw new Error(`Expected --${option} to be a number, got ${value}`);
}

function holdOffOf(value: string | undefined): HoldOff | undefined {
  if (value === undefined || value === 'always' || value === 'auto' || value === 'never') {
    return value;
  }
  throw new Error(`Expected --hold-off to be always, auto or never, got ${value}`);
}

function namesOf(value: string): readonly TopologyName[] {
  if (value === 'all') return NAMES;
  return value.split(',').map((name) => {
    const found = NAMES.find((each) => each === name);
    if (found !== undefined) return found;
    throw new Error(`Expected --on to be all or one of ${NAMES.join(', ')}, got ${name}`);
  });
}
