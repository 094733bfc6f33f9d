/** Every field case that this version owes has a test that carries its id, or a reason in docs/field-cases.md. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { expect, it } from '@jest/globals';

const ROOT = resolve(import.meta.dirname, '../..');

const OWED = `
  S-01 S-02 S-03 S-04 S-06 S-07 S-08 S-09 S-10 S-11 S-12 S-13 S-15 S-17 S-18 S-21 S-23
  L-01 L-02 L-03 L-04 L-05 L-07 L-08 L-09 L-10 L-12 L-14 L-15 L-18 L-19
  T-01 T-02 T-04 T-05 T-07 T-08 T-09 T-10 T-11
  F-01 F-03 F-04 F-06 F-07 F-09 F-10 F-12 F-14 F-15 F-16 F-17 F-18 F-19 F-20 F-21 F-22 F-23 F-25 F-27 F-28
  C-01 C-02 C-03 C-05 C-06 C-09 C-10 C-11
  N-01 N-02 N-04 N-05 N-06 N-07 N-08 N-09 N-10 N-12 N-13 N-14 N-15 N-16 N-17 N-18 N-19 N-20 N-23
  J-01 J-02 J-04 J-06 J-07 J-08 J-12 J-14 J-16 J-17 J-21
  O-02 O-03 O-04 O-05 O-08 O-09 O-10
`
  .trim()
  .split(/\s+/);

function testNames(): string {
  const files = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.ts') && !file.endsWith('field-cases.test.ts'))
    .map((file) => readFileSync(join(ROOT, 'test', file), 'utf8'))
    .flatMap((text) => [...text.matchAll(/['"`]((?:[A-Z]-\d\d[,: ]*(?:and )?)+)/g)])
    .map(([, ids]) => ids)
    .join(' ');
}

it('has a test or a reason for each field case that is owed', () => {
  const excused = readFileSync(join(ROOT, 'docs/field-cases.md'), 'utf8');
  const rows = [...excused.matchAll(/^\| ([A-Z]-\d\d) /gm)].map(([, id]) => id);
  const names = testNames();
  expect(OWED.filter((id) => !names.includes(id) && !rows.includes(id))).toEqual([]);
});
