/** Compiles the worker, with the library as it is now, for plain node. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const COMPILE = ['sample/demo/compile.mjs', 'lib', 'test/support'];

/** The path of the compiled worker. Compiles once for the same sources. */
export async function compiledWorker(): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, COMPILE);
  return join(stdout, 'test/support/process/worker.js');
}
