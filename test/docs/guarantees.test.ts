/** docs/guarantees.md names only tests that exist, and lists every rule that is switched off. */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { CONTROLS } from '../negative-controls/controls.js';
import { FAMILIES } from '../simulation/faults/families.js';

const ROOT = resolve(import.meta.dirname, '../..');
const PAGE = readFileSync(join(ROOT, 'docs/guarantees.md'), 'utf8');

/** The cells of all tables, without what the formatter puts around them. */
const ROWS = PAGE.split('\n')
  .filter((line) => line.startsWith('|'))
  .map((line) => line.split('|').map((cell) => cell.trim()));

describe('docs/guarantees.md', () => {
  it('names tests and folders that exist', () => {
    const named = [...PAGE.matchAll(/`((?:test|lib)\/[\w./-]+)`/g)].map(([, path = '']) => path);
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it('names families of faults that the simulation has', () => {
    const clauses = [...PAGE.matchAll(/simulation ((?:`[a-z-]+`(?:, )?)+)/g)];
    const named = clauses.flatMap(([, list = '']) => list.match(/[a-z-]+/g) ?? []);
    expect(new Set(named)).toEqual(new Set(Object.keys(FAMILIES)));
  });

  it.each(CONTROLS)('has a row for "$off"', ({ off, rules, caughtBy }) => {
    const by = 'family' in caughtBy ? `simulation \`${caughtBy.family}\`` : `\`${caughtBy.test}\``;
    expect(ROWS).toContainEqual(['', rules.join(', '), off, by, '']);
  });
});
