/** The tables of the benchmarks. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import type { Goal, Row } from '../../bench/measure.interface.js';
import { OURS } from '../../bench/ours.js';
import { figureTables } from '../../bench/report/figure-tables.js';
import { goalTable } from '../../bench/report/goal-table.js';
import { readRun, type SavedRun, saveRun } from '../../bench/report/saved-run.js';
import { runMeasures } from '../../bench/run-measures.js';

function row(contestant: string, inCase: string, figure: string, samples: readonly number[]): Row {
  return { measure: 'm', contestant, case: inCase, figure, unit: 'ms', samples };
}

const hundred = Array.from({ length: 100 }, (_, i) => i + 1);

describe('the tables of a measure', () => {
  it('have contestants and cases for each figure, with as many statistics as the samples bear', () => {
    const rows = [
      row(OURS, '3', 'wait', hundred),
      row(OURS, '50', 'wait', [1234.5, 2000]),
      row('peer', '3', 'wait', [0.12345]),
      row(OURS, '3', 'cost', [1]),
      row('peer', '50', 'cost', [2]),
    ];
    expect(figureTables(rows)).toBe(`**wait, ms (median / p99 / max)**

| contestant | 3 | 50 |
| :-- | --: | --: |
| ${OURS} | 50.5 / 99 / 100 | 1,617 / 2,000 |
| peer | 0.123 / 0.123 / 0.123 | – |

**cost, ms**

| contestant | 3 | 50 |
| :-- | --: | --: |
| ${OURS} | 1 | – |
| peer | – | 2 |`);
  });

  it('have all figures in one table where there is one contestant, or one case', () => {
    const ours = [row(OURS, 'a', 'x', [1]), row(OURS, 'b', 'y', [2, 3])];
    expect(figureTables(ours).split('\n')).toEqual([
      '| figure | a | b |',
      '| :-- | --: | --: |',
      '| x, ms | 1 | – |',
      '| y, ms (median / max) | – | 2.5 / 3 |',
    ]);
    const oneCase = [row(OURS, 'a', 'x', [1]), row('peer', 'a', 'y', [2])];
    expect(figureTables(oneCase).split('\n')[0]).toBe('| contestant | x, ms | y, ms |');
  });
});

describe('the table of goals', () => {
  const goals: readonly Goal[] = [
    { figure: 'wait', statistic: 'median', atMost: 50.5 },
    { figure: 'wait', cases: ['3', '500'], statistic: 'p99', atMost: 98 },
    { figure: 'none', statistic: 'max', atMost: 0 },
  ];
  const rows = [row(OURS, '3', 'wait', hundred), row('peer', '3', 'wait', [99])];

  it('says what is met, missed, and not measured, of this library', () => {
    expect(goalTable(goals, rows).split('\n').slice(2)).toEqual([
      '| wait: median ≤ 50.5 ms | 3 | 50.5 ms | met |',
      '| wait: p99 ≤ 98 ms | 3 | 99 ms | **missed** |',
      '| wait: p99 ≤ 98 | 500 | not measured | – |',
      '| none: max ≤ 0 | every | not measured | – |',
    ]);
  });
});

describe('a run', () => {
  const measure = { title: '', how: '', goals: [] };

  it('goes on after a measure that fails, and tells of it', async () => {
    const rows = [row(OURS, '3', 'wait', [1])];
    const said: string[] = [];
    const result = await runMeasures(
      [
        { ...measure, id: 'broken', run: () => Promise.reject(new Error('no port')) },
        { ...measure, id: 'whole', run: () => Promise.resolve(rows) },
      ],
      {
        quick: true,
        contestants: [OURS],
        say: (text) => said.push(text),
        done: ({ id }) => said.push(`${id} has figures`),
      },
    );
    expect(result.rows).toEqual(rows);
    expect(result.failures).toMatchObject([
      { measure: 'broken', message: expect.stringContaining('no port') },
    ]);
    expect(said).toContain('whole has figures');
  });

  it('is the same when it has been saved and read', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'leader-election-bench-test-'));
    try {
      const path = join(folder, 'run.json');
      const run: SavedRun = {
        meta: {
          date: '2026-11-29T12:00:00.000Z',
          commit: 'abc',
          node: 'v20',
          redis: '7',
          cpu: 'a',
          cores: 2,
          quick: true,
          durationS: 3,
        },
        failures: [{ measure: 'broken', message: 'no port' }],
        rows: [row(OURS, '3', 'wait', hundred), row('peer', '3', 'wait', [1.5])],
      };
      await saveRun(path, run);
      expect(readRun('--from', path)).toEqual(run);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
