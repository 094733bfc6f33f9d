/** What `npm run bench` takes, and what it says to the rest. */
import { describe, expect, it } from '@jest/globals';

import { parseCommandLine, UsageError } from '../../bench/command-line.js';
import { readRun } from '../../bench/report/saved-run.js';

const KNOWN = { measures: ['take-over', 'faults'], contestants: ['ours', 'redlock'] };

describe('the command line of the benchmarks', () => {
  it('measures everything when nothing is asked for', () => {
    const { quick, only, contestants } = parseCommandLine([], KNOWN);
    expect({ quick, only, contestants }).toEqual({
      quick: false,
      only: KNOWN.measures,
      contestants: KNOWN.contestants,
    });
  });

  it('takes several names, with commas or one by one', () => {
    const args = ['--only', 'faults,take-over', '--contestants', 'redlock', '--contestants=ours'];
    const { only, contestants } = parseCommandLine(args, KNOWN);
    expect([only, contestants]).toEqual([KNOWN.measures, KNOWN.contestants]);
  });

  it.each([
    {
      args: ['--only', 'speed'],
      says: "--only: there is no 'speed'. Choose from: take-over, faults",
    },
    {
      args: ['--contestants', 'x,ours'],
      says: "--contestants: there is no 'x'. Choose from: ours, redlock",
    },
    { args: ['--fast'], says: "Unknown option '--fast'. See npm run bench -- --help" },
    { args: ['--json'], says: "'--json <value>' argument missing. See npm run bench -- --help" },
    { args: ['faults'], says: "Unexpected argument 'faults'" },
    { args: ['--from', 'a.json', '--quick'], says: '--quick is about measuring, and --from' },
  ])('refuses $args and says what to do', ({ args, says }) => {
    const parse = () => parseCommandLine(args, KNOWN);
    expect(parse).toThrow(UsageError);
    expect(parse).toThrow(says);
  });

  it.each([
    { path: 'no-such-file.json', says: '--compare no-such-file.json: it cannot be read (ENOENT' },
    { path: 'package.json', says: '--compare package.json: it is not a saved run. Name a file' },
  ])('refuses the saved run $path', ({ path, says }) => {
    const read = () => readRun('--compare', path);
    expect(read).toThrow(UsageError);
    expect(read).toThrow(says);
  });
});
