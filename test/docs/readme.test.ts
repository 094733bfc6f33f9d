/** What the README shows compiles, what it links to exists, and what it quotes is what the code says. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';

import { resolveTiming } from '../../lib/options/timing.js';

const ROOT = resolve(import.meta.dirname, '../..');
const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
const examples = [...readme.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code = '']) => code);

/** Compiles each text as a file of this repository, under its own strict flags, and returns what is wrong. */
function compile(codes: readonly string[]): readonly string[] {
  const files = new Map(codes.map((code, i) => [join(ROOT, `test/docs/example-${i}.ts`), code]));
  const configFile = join(ROOT, 'tsconfig.json');
  const { config } = ts.readConfigFile(configFile, (path) => readFileSync(path, 'utf8'));
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
  options.paths = { 'nestjs-leader-election': [join(ROOT, 'lib/index.ts')] };
  const host = ts.createCompilerHost(options);
  host.fileExists = (path) => files.has(path) || ts.sys.fileExists(path);
  host.readFile = (path) => files.get(path) ?? ts.sys.readFile(path);
  const program = ts.createProgram([...files.keys()], options, host);
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

describe('README.md', () => {
  it('has a quick start and more examples', () => {
    expect(examples).toHaveLength(7);
  });

  it('has examples that compile, and the compiler would tell', () => {
    const wrong = 'export const wrong: number = "text";';
    expect(compile([...examples, wrong])).toEqual([
      "Type 'string' is not assignable to type 'number'.",
    ]);
  }, 120_000);

  it('O-09: says what each ttl means, as the defaults make it', () => {
    const rows = [
      ...readme.matchAll(/^\| ([\d,]+)(?: \(default\))? +\| (.*?) +\| up to (.*?) s +\|/gm),
    ];
    expect(rows).toHaveLength(3);
    for (const [, ttl = '', leaderless, pause] of rows) {
      const timing = resolveTiming({ leaseTtlMs: Number(ttl.replace(',', '')) });
      const { leaseTtlMs, renewIntervalMs, safetyMarginMs } = timing;
      const shortest = Number(((leaseTtlMs - renewIntervalMs) / 1000).toFixed(1));
      expect(leaderless).toBe(`${shortest} to ${leaseTtlMs / 1000} s`);
      const longestPauseS = (leaseTtlMs - safetyMarginMs - renewIntervalMs) / 1000;
      expect(Number(pause)).toBeLessThanOrEqual(longestPauseS);
      expect(Number(pause)).toBeGreaterThan(longestPauseS * 0.95);
    }
  });

  it.each([
    'README.md',
    'CONTRIBUTING.md',
    'docs/architecture.md',
    'docs/guarantees.md',
    'docs/field-cases.md',
  ])('%s links only to files that exist', (page) => {
    const text = readFileSync(join(ROOT, page), 'utf8');
    const links = [...text.matchAll(/\]\(([^)#]+)/g)]
      .map(([, target = '']) => target)
      .filter((target) => !target.startsWith('http'));
    const missing = links.filter((target) => !existsSync(join(ROOT, dirname(page), target)));
    expect(missing).toEqual([]);
  });
});
