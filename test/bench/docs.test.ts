/** What of a run goes into docs/benchmarks.md. */
import { readFileSync } from 'node:fs';

import { describe, expect, it } from '@jest/globals';

import type { Row } from '../../bench/measure.interface.js';
import { OURS } from '../../bench/ours.js';
import { fillPage } from '../../bench/report/fill-page.js';
import { plotSpec } from '../../bench/report/plot-spec.js';
import { PLOTS } from '../../bench/report/plots.js';

const PAGE = `# Title

<!-- measured: a -->

old figures

<!-- /measured -->

prose

<!-- measured: b -->
<!-- /measured -->
`;

describe('a page with markers', () => {
  it('takes new figures in place of old ones, and keeps the prose', () => {
    const texts = new Map([
      ['a', 'figures of a'],
      ['b', 'figures of b'],
    ]);
    const filled = fillPage(PAGE, texts);
    expect(filled).not.toContain('old');
    expect(filled).toMatch(/measured: a -->\s+figures of a\s+<!-- \/m[^]+prose[^]+figures of b/);
    expect(fillPage(filled, texts)).toBe(filled);
  });

  it('names the marker that it lacks', () => {
    expect(() => fillPage(PAGE, new Map([['c', '']]))).toThrow(
      "no place for 'c': add <!-- measured: c --> and <!-- /measured -->",
    );
  });

  it('is docs/benchmarks.md, with a place for each plot', () => {
    const page = readFileSync('docs/benchmarks.md', 'utf8');
    const texts = PLOTS.map(({ measure }): [string, string] => [measure, '']);
    expect(() => fillPage(page, new Map([['run', ''], ...texts]))).not.toThrow();
  });
});

describe('a plot', () => {
  const lines = PLOTS.find(({ file }) => file === 'idle-commands');

  it('has medians by the number in the case, without cases of another kind', () => {
    const rows = [
      row({}),
      row({ case: '3 candidates', samples: [4] }),
      row({ case: '3 candidates, slow' }),
    ];
    expect(lines && plotSpec(lines, rows)).toMatchObject({
      data: {
        values: [
          { number: 1000, value: 2 },
          { number: 3, value: 4 },
        ],
      },
    });
  });

  it('is not drawn without figures', () => {
    expect(PLOTS.map((plot) => plotSpec(plot, [row({ figure: 'another' })]))).toEqual(
      PLOTS.map(() => null),
    );
  });
});

function row(over: Partial<Row>): Row {
  return {
    measure: 'idle-cost',
    contestant: OURS,
    case: '1,000 candidates',
    figure: 'commands per follower and ttl',
    unit: 'commands',
    samples: [1, 2, 9],
    ...over,
  };
}
