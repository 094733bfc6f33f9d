import { transform } from '@swc/core';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The stores as plain JavaScript in a directory of its own, for programs that run in a process of their own. */
export class ProgramDirectory {
  private programs = 0;

  private constructor(private readonly path: string) {}

  static async create(): Promise<ProgramDirectory> {
    const path = await mkdtemp(join(tmpdir(), 'leader-election-program-'));
    await writeFile(join(path, 'package.json'), '{ "type": "module" }');
    await symlink(join(ROOT, 'node_modules'), join(path, 'node_modules'));
    await Promise.all([
      compile('lib/system-clock.ts', path),
      compileAll('lib/election', path),
      compileAll('lib/stores', path),
    ]);
    return new ProgramDirectory(path);
  }

  /** Runs a program, which finds the stores under `./lib`, until it ends by itself or has to be killed. */
  async run(
    program: string,
    args: readonly string[],
    killAfterMs: number,
    environment: Readonly<Record<string, string>> = {},
  ): Promise<Outcome> {
    const file = join(this.path, `program-${(this.programs += 1)}.js`);
    await writeFile(file, program);
    const child = spawn(process.execPath, [file, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...environment },
      timeout: killAfterMs,
      killSignal: 'SIGKILL',
    });
    const output = { stdout: '', stderr: '' };
    child.stdout.on('data', (data: Buffer) => (output.stdout += data.toString()));
    child.stderr.on('data', (data: Buffer) => (output.stderr += data.toString()));
    await once(child, 'close');
    return { code: child.exitCode, ...output };
  }

  async remove(): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
  }
}

async function compileAll(folder: string, to: string): Promise<void> {
  const names = await readdir(join(ROOT, folder), { recursive: true });
  const sources = names.filter((name) => name.endsWith('.ts'));
  await Promise.all(sources.map((name) => compile(join(folder, name), to)));
}

async function compile(file: string, to: string): Promise<void> {
  const source = await readFile(join(ROOT, file), 'utf8');
  const { code } = await transform(source, {
    jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
    module: { type: 'es6' },
  });
  const target = join(to, file.replace(/\.ts$/, '.js'));
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, code);
}
