import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { packPackage } from './packed-package.js';

const CONSUMERS = join(import.meta.dirname, '../consumers');
/** Each takes seconds on an idle machine, and is let be on a busy one. */
const INSTALL_TIMEOUT_MS = 240_000;
const COMMAND_TIMEOUT_MS = 120_000;
/** For a test or hook: an installation and a few commands. */
export const PATIENCE_MS = INSTALL_TIMEOUT_MS + 2 * COMMAND_TIMEOUT_MS;
const exec = promisify(execFile);

interface Manifest {
  dependencies: Record<string, string>;
}

export interface ConsumerOptions {
  /** A folder in `consumers/`. */
  readonly template: string;
  /** Versions in place of those of the template. */
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** An application in a temporary folder that installed the packed package as a user would, from the registry. */
export class Consumer {
  private constructor(readonly directory: string) {}

  static async install({ template, dependencies = {} }: ConsumerOptions): Promise<Consumer> {
    const directory = await mkdtemp(join(tmpdir(), `consumer-${template}-`));
    const consumer = new Consumer(directory);
    try {
      await cp(join(CONSUMERS, template), directory, { recursive: true });
      await cp(join(CONSUMERS, 'shared'), join(directory, 'src'), { recursive: true });
      await consumer.overrideVersions(dependencies);
      const flags = ['--no-audit', '--no-fund', '--prefer-offline', '--no-package-lock'];
      await consumer.run(['npm', 'install', ...flags, await packPackage(directory)], {
        timeoutMs: INSTALL_TIMEOUT_MS,
      });
      return consumer;
    } catch (error) {
      await consumer.remove();
      throw error;
    }
  }

  /** Runs a program in the application's folder and returns its standard output; rejects with all it said. */
  async run(
    [file, ...args]: readonly [string, ...string[]],
    {
      env = {},
      timeoutMs = COMMAND_TIMEOUT_MS,
    }: { env?: NodeJS.ProcessEnv; timeoutMs?: number } = {},
  ): Promise<string> {
    try {
      const { stdout } = await exec(file, args, {
        cwd: this.directory,
        env: { ...environment(), ...env },
        timeout: timeoutMs,
      });
      return stdout;
    } catch (error) {
      const { message, stdout, stderr } = error as Error & { stdout: string; stderr: string };
      throw new Error(`${message}\n${stdout}\n${stderr}`, { cause: error });
    }
  }

  /** Type errors are the rejection's message. */
  async compile(...flags: string[]): Promise<void> {
    await this.run(['node', 'node_modules/typescript/bin/tsc', '-p', '.', ...flags]);
  }

  async write(path: string, content: string): Promise<void> {
    await writeFile(join(this.directory, path), content);
  }

  async versionOf(name: string): Promise<string> {
    const path = join(this.directory, 'node_modules', name, 'package.json');
    return (JSON.parse(await readFile(path, 'utf8')) as { version: string }).version;
  }

  async remove(): Promise<void> {
    await rm(this.directory, { recursive: true, force: true });
  }

  private async overrideVersions(versions: Readonly<Record<string, string>>): Promise<void> {
    const path = join(this.directory, 'package.json');
    const manifest = JSON.parse(await readFile(path, 'utf8')) as Manifest;
    manifest.dependencies = { ...manifest.dependencies, ...versions };
    await writeFile(path, JSON.stringify(manifest));
  }
}

/** Without what this test run is told, which would reach into the application. */
function environment(): NodeJS.ProcessEnv {
  const env = { ...process.env };
  for (const name of ['JEST_WORKER_ID', 'NODE_ENV', 'NODE_OPTIONS', 'REDIS_URL']) delete env[name];
  return env;
}
