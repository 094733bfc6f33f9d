import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';

import { describe, expect, it } from '@jest/globals';

import { packedFiles } from './support/packed-package.js';
import { manifest, peerDependencies, ROOT } from './support/repository.js';

/** In `import … from 'x'`, `export … from 'x'`, `import 'x'`, `import('x')` and `require('x')`. */
const SPECIFIER = /(?:(?<!['"])\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)['"]([^'"\n]+)['"]/g;

describe('what the sources import', () => {
  it('is a peer dependency, a node built-in or another source file', async () => {
    const { peerDependencies: peers, dependencies = {} } = await manifest();
    const allowed = new Set([...Object.keys(peers), ...Object.keys(dependencies)]);
    const found = await packagesIn(join(ROOT, 'lib'), '.ts');
    expect([...found].filter((name) => !allowed.has(name))).toEqual([]);
  });

  it('uses every peer dependency, and node built-ins by their node: name', async () => {
    const { peerDependencies: peers } = await manifest();
    const found = await packagesIn(join(ROOT, 'lib'), '.ts');
    // Nest itself needs it; the package uses the global that it makes.
    const unused = Object.keys(peers).filter((name) => !found.has(name));
    expect(unused).toEqual(['reflect-metadata']);
    expect([...found].filter((name) => builtinModules.includes(name))).toEqual([]);
  });
});

describe.each(['esm', 'cjs'])('the %s build', (format) => {
  const entry = join(ROOT, 'dist', format, 'index.d.ts');

  it('shows types of required peers only, at the main entry', async () => {
    const required = await peerDependencies();
    const { packages } = await reachableFrom(entry);
    expect([...packages].filter((name) => !(name in required))).toEqual([]);
  });

  it('shows no type of its insides: what a public type needs is exported itself', async () => {
    const exported = await filesImportedBy(entry);
    const { files } = await reachableFrom(entry);
    const insides = files.filter((file) => file !== entry && !exported.includes(file));
    expect(insides.map((file) => relative(dirname(entry), file))).toEqual([
      // A base class and a type that Nest's ConfigurableModuleBuilder makes.
      'leader-election.module-definition.d.ts',
    ]);
  });

  it('holds no module-level state that a second copy would double: only Symbol.for', async () => {
    const sources = await filesIn(join(ROOT, 'dist', format), '.js');
    const texts = await Promise.all(sources.map((file) => readFile(file, 'utf8')));
    const local = texts.flatMap((text) => text.match(/[=(,]\s*Symbol\([^)]*\)/g) ?? []);
    expect(local).toEqual([]);
  });
});

describe('the exports of the package', () => {
  it.each([
    ['import', "import * as it from 'nestjs-leader-election'"],
    [
      'require',
      "const it = process.getBuiltinModule('module').createRequire(process.cwd() + '/a.cjs')('nestjs-leader-election')",
    ],
  ])('resolve for %s', async (_, statement) => {
    const output = await node(
      `${statement}; console.log(Object.keys(it).includes('LeaderService'))`,
    );
    expect(output).toBe('true');
  });

  it('let the package.json be read', async () => {
    const output = await node(
      "import it from 'nestjs-leader-election/package.json' with { type: 'json' }; console.log(it.name)",
    );
    expect(output).toBe('nestjs-leader-election');
  });

  it('offer nothing else', async () => {
    await expect(node("await import('nestjs-leader-election/dist/esm/index.js')")).rejects.toThrow(
      'ERR_PACKAGE_PATH_NOT_EXPORTED',
    );
  });
});

describe('the tarball', () => {
  it('has dist, README, LICENSE, CHANGELOG and package.json, nothing else', async () => {
    const files = await packedFiles();
    const besidesDist = files.filter((path) => !path.startsWith('dist/'));
    expect(new Set(besidesDist)).toEqual(
      new Set(['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json']),
    );
    const inDist = files.filter((path) => path.startsWith('dist/'));
    const unexpected = inDist.filter((path) => !/^dist\/(esm|cjs)\/.+(\.js|\.d\.ts)$/.test(path));
    expect(unexpected).toEqual(['dist/cjs/package.json']);
  });
});

/** The names of the packages that a folder's files import. */
async function packagesIn(folder: string, extension: string): Promise<Set<string>> {
  const files = await filesIn(folder, extension);
  const specifiers = await Promise.all(files.map(specifiersOf));
  return new Set(specifiers.flat().filter(isPackage).map(packageOf));
}

async function filesIn(folder: string, extension: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true });
  return entries.filter((path) => path.endsWith(extension)).map((path) => join(folder, path));
}

async function specifiersOf(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8');
  const code = text.replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, '');
  return Array.from(code.matchAll(SPECIFIER), ([, specifier = '']) => specifier);
}

/** All declaration files that a user's compiler loads with the entry, and the packages that they import. */
async function reachableFrom(entry: string): Promise<{ files: string[]; packages: Set<string> }> {
  const files = [entry];
  const packages = new Set<string>();
  for (const file of files) {
    for (const name of (await specifiersOf(file)).filter(isPackage)) packages.add(packageOf(name));
    for (const imported of await filesImportedBy(file)) {
      if (!files.includes(imported)) files.push(imported);
    }
  }
  return { files, packages };
}

async function filesImportedBy(declarations: string): Promise<string[]> {
  const specifiers = await specifiersOf(declarations);
  const relatives = specifiers.filter((specifier) => specifier.startsWith('.'));
  return relatives.map((path) => join(dirname(declarations), path.replace(/\.js$/, '.d.ts')));
}

function isPackage(specifier: string): boolean {
  return !specifier.startsWith('.') && !specifier.startsWith('node:');
}

function packageOf(specifier: string): string {
  const [scope = '', name] = specifier.split('/');
  return scope.startsWith('@') ? `${scope}/${name}` : scope;
}

/** Runs an ES module in the repository, which Node resolves by its own name through `exports`. */
async function node(program: string): Promise<string> {
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', program];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT });
  return stdout.trim();
}
