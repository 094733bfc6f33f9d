/** Draws a plot. */
import { importPeer } from '../peer.js';
import type { Spec } from './plot-spec.js';

/** What is used of vega. */
interface Vega {
  readonly parse: (spec: unknown) => unknown;
  readonly View: new (
    runtime: unknown,
    options: { readonly renderer: 'none' },
  ) => { toSVG(): Promise<string>; finalize(): unknown };
}

interface VegaLite {
  readonly compile: (spec: Spec) => { readonly spec: unknown };
}

export async function svgOf(spec: Spec): Promise<string> {
  const { parse, View } = await importPeer<Vega>('vega');
  const { compile } = await importPeer<VegaLite>('vega-lite');
  const view = new View(parse(compile(spec).spec), { renderer: 'none' });
  try {
    return `${await view.toSVG()}\n`;
  } finally {
    view.finalize();
  }
}
