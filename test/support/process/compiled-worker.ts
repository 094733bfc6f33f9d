/** Compiles the worker, with the library as it is now, for plain node. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const COMPILE = ['sample/demo/compile.mjs', 'lib', 'test/support'];

let compiled: Promise<string> | null = null;

/** The path of the compiled worker, which is made once for a test file. */
export function compiledWorker(): Promise<string> {
  compiled ??= promisify(execFile)(process.execPath, COMPILE).then(({ stdout }) =>
    join(stdout, 'test/support/process/worker.js'),
  );
  return compiled;
}
