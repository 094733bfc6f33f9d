/** Plots as vega-lite has them. */
import type { Row } from '../measure.interface.js';
import { OURS } from '../ours.js';
import { median, statisticOf } from '../statistics.js';
import type { Bars, FigureBars, Lines, Plot, Strips } from './plots.js';

export type Spec = Readonly<Record<string, unknown>>;

interface Point {
  readonly contestant: string;
  readonly case: string;
  readonly value: number;
}

/** What is less than this lies on the edge: a logarithmic axis has no zero. */
const LEAST = 0.01;
const WIDTH = 560;
const STEP = 18;
const OUR_COLOUR = '#d6204e';
const THEIR_COLOUR = '#5b7083';
const LINE_COLOURS = ['#4c78a8', '#f58518', '#3c9d5c', '#8a63b8', '#8c6d46', '#4aa3a0', '#777777'];
const CONFIG = {
  // A description of each mark would be most of the file; the page describes the whole.
  aria: false,
  // So that it is legible where the page is dark, too.
  background: 'white',
  font: 'Helvetica, Arial, sans-serif',
  axis: { labelFontSize: 12, titleFontSize: 12, labelLimit: 260, gridColor: '#e4e4e4' },
  legend: { labelFontSize: 12, labelLimit: 400, symbolStrokeWidth: 3 },
  title: { fontSize: 14, anchor: 'start', offset: 12 },
  view: { stroke: '#d0d0d0' },
};

/** Null where there are no figures for it. */
export function plotSpec(plot: Plot, rows: readonly Row[]): Spec | null {
  const its = rows.filter(({ measure, samples }) => measure === plot.measure && samples.length > 0);
  const shown =
    plot.kind === 'figure bars' ? its : its.filter(({ figure }) => figure === plot.figure);
  if (shown.length === 0) return null;
  const { title } = plot;
  return { title, config: CONFIG, padding: 12, ...bodyOf(plot, shown) };
}

function bodyOf(plot: Plot, rows: readonly Row[]): Spec {
  if (plot.kind === 'strips') return strips(plot, rows);
  if (plot.kind === 'bars') return bars(plot, rows);
  return plot.kind === 'lines' ? lines(plot, rows) : figureBars(plot, rows);
}

function strips({ axis }: Strips, rows: readonly Row[]): Spec {
  const points = rows.flatMap((row) => row.samples.map((sample) => pointOf(row, sample)));
  const x = { field: 'value', type: 'quantitative', scale: { type: 'log' }, title: axis };
  const common = { y: contestantsOf(rows), color: OURS_IN_COLOUR };
  return facetOf(rows, points, {
    layer: [
      { mark: { type: 'tick', opacity: 0.4, thickness: 1.5 }, encoding: { x, ...common } },
      {
        mark: { type: 'point', shape: 'diamond', filled: true, size: 90, opacity: 1 },
        encoding: { x: { ...x, aggregate: 'median' }, ...common },
      },
    ],
  });
}

function bars({ axis, statistic }: Bars, rows: readonly Row[]): Spec {
  const points = rows.map((row) => ({
    ...pointOf(row, 0),
    value: statisticOf(statistic, row.samples),
  }));
  const x = { field: 'value', type: 'quantitative', title: axis };
  const text = { field: 'value', type: 'quantitative', format: ',.0f' };
  return facetOf(rows, points, {
    encoding: { x, y: contestantsOf(rows), color: OURS_IN_COLOUR },
    layer: [{ mark: 'bar' }, { mark: { type: 'text', align: 'left', dx: 4 }, encoding: { text } }],
  });
}

function figureBars({ axis }: FigureBars, rows: readonly Row[]): Spec {
  const values = rows
    .filter(({ contestant }) => contestant === OURS)
    .map((row) => ({ figure: row.figure, case: row.case, value: median(row.samples) }));
  const cases = distinct(rows.map((row) => row.case));
  return {
    width: WIDTH,
    height: { step: STEP },
    data: { values },
    mark: 'bar',
    encoding: {
      x: { field: 'value', type: 'quantitative', title: axis },
      y: { field: 'figure', type: 'nominal', sort: null, title: null },
      yOffset: { field: 'case', sort: cases },
      color: {
        field: 'case',
        type: 'nominal',
        title: null,
        scale: { domain: cases, range: [OUR_COLOUR, THEIR_COLOUR] },
        legend: { orient: 'top' },
      },
    },
  };
}

/** A case that is about more than the number is left out. */
function lines({ axis, numberOf }: Lines, rows: readonly Row[]): Spec {
  const values = rows.flatMap((row) => {
    const [, digits] = /^([\d,]+) [a-z]+$/.exec(row.case) ?? [];
    if (digits === undefined) return [];
    return [{ ...pointOf(row, median(row.samples)), number: Number(digits.replaceAll(',', '')) }];
  });
  const domain = distinct(values.map(({ contestant }) => contestant));
  const range = domain.map((contestant, index) =>
    contestant === OURS ? OUR_COLOUR : LINE_COLOURS[index % LINE_COLOURS.length],
  );
  const log = { type: 'log' };
  return {
    width: WIDTH,
    height: 300,
    data: { values },
    mark: { type: 'line', point: { size: 50 }, strokeWidth: 2 },
    encoding: {
      x: { field: 'number', type: 'quantitative', scale: log, title: `${numberOf} (logarithmic)` },
      y: { field: 'value', type: 'quantitative', scale: log, title: axis },
      color: {
        field: 'contestant',
        type: 'nominal',
        title: null,
        scale: { domain, range },
      },
    },
  };
}

const OURS_IN_COLOUR = {
  condition: { test: `datum.contestant === '${OURS}'`, value: OUR_COLOUR },
  value: THEIR_COLOUR,
};

/** One below the other for each case, on one axis. */
function facetOf(rows: readonly Row[], values: readonly Point[], inner: Spec): Spec {
  const header = { title: null, labelOrient: 'top', labelAnchor: 'start', labelAngle: 0 };
  const style = { labelFontSize: 12, labelFontWeight: 'bold' };
  const sort = distinct(rows.map((row) => row.case));
  return {
    data: { values },
    facet: { row: { field: 'case', type: 'nominal', sort, header: { ...header, ...style } } },
    spec: { width: WIDTH, height: { step: STEP }, ...inner },
  };
}

function contestantsOf(rows: readonly Row[]): Spec {
  const sort = distinct(rows.map(({ contestant }) => contestant));
  return { field: 'contestant', type: 'nominal', sort, title: null };
}

function pointOf(row: Row, value: number): Point {
  return { contestant: row.contestant, case: row.case, value: Math.max(value, LEAST) };
}

function distinct(names: readonly string[]): readonly string[] {
  return [...new Set(names)];
}
