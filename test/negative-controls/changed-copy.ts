/** A copy of the library and its tests in which one rule is switched off. */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import type { Edit, Simulated, Tested } from './control.interface.js';

const ROOT = resolve(import.meta.dirname, '../..');
const COPIED = ['lib', 'test', 'sample', 'package.json', 'tsconfig.json'];
/** A control is caught within seconds, or is none. */
const TIMEOUT_MS = 90_000;
const RUNS = 3000;
const SEED = 1;

export interface Run {
  readonly code: number | null;
  readonly output: string;
}

export class ChangedCopy {
  private constructor(private readonly folder: string) {}

  static async make(): Promise<ChangedCopy> {
    const folder = await mkdtemp(join(tmpdir(), 'leader-election-control-'));
    await Promise.all(
      COPIED.map((name) => cp(join(ROOT, name), join(folder, name), { recursive: true })),
    );
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    return new ChangedCopy(folder);
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Edits, runs, and puts everything back. Throws where an edit does not fit the code any more. */
  async with(edits: readonly Edit[], run: () => Promise<Run>): Promise<Run> {
    const files = new Set(edits.map(({ file }) => file));
    try {
      for (const edit of edits) await this.edit(edit);
      return await run();
    } finally {
      for (const file of files) await cp(join(ROOT, file), join(this.folder, file));
    }
  }

  simulate({ family, holdOff = 'always' }: Simulated): Promise<Run> {
    const program = join(this.folder, 'test/simulation/simulate.mjs');
    const options = { runs: RUNS, seed: SEED, family, 'hold-off': holdOff, 'reduce-for': 0 };
    const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
    return this.run([program, '--root', this.folder, ...args]);
  }

  test({ test, name }: Tested): Promise<Run> {
    const jest = 'node_modules/jest/bin/jest.js';
    return this.run([
      '--experimental-vm-modules',
      '--disable-warning=ExperimentalWarning',
      jest,
      test,
      '--testNamePattern',
      name,
      '--bail',
      '--runInBand',
    ]);
  }

  private async edit({ file, find, replace }: Edit): Promise<void> {
    const path = join(this.folder, file);
    const source = await readFile(path, 'utf8');
    const times = source.split(find).length - 1;
    if (times !== 1) throw new Error(`${file} has ${times} times: ${find}`);
    await writeFile(
      path,
      source.replace(find, () => replace),
    );
  }

  private run(args: readonly string[]): Promise<Run> {
    return new Promise((done) => {
      const options = { cwd: this.folder, timeout: TIMEOUT_MS, maxBuffer: 64 * 1024 * 1024 };
      execFile(process.execPath, [...args], options, (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : null;
        done({ code, output: stdout + stderr });
      });
    });
  }
}
