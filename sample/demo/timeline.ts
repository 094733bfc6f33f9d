/** Prints what happens as it happens: one column for each node. */
import { sharedNowMs } from '../../lib/index.js';
import { NODES } from './stage.interface.js';

const COLUMN_WIDTH = 10;

export class Timeline {
  private readonly startedAt = sharedNowMs();

  header(lines: readonly string[]): void {
    const [first = '', ...rest] = lines;
    print(`\nnestjs-leader-election: ${first}`);
    for (const line of rest) print(line);
    const columns = NODES.map((node) => node.padEnd(COLUMN_WIDTH)).join('');
    print(`\n    time   ${columns}`.trimEnd());
  }

  entry(at: number, node: string, label: string, note = ''): void {
    const seconds = ((at - this.startedAt) / 1000).toFixed(1).padStart(6);
    const columns = NODES.map((name) => (name === node ? label : '').padEnd(COLUMN_WIDTH)).join('');
    print(`${seconds} s   ${columns}${note}`.trimEnd());
  }

  summary(rows: readonly (readonly [string, string, string])[]): void {
    const width = Math.max(...rows.map(([, value]) => value.length));
    print('');
    for (const [name, value, note] of rows) {
      print(`  ${name.padEnd(12)} ${value.padStart(width)}  ${note}`.trimEnd());
    }
    print('');
  }
}

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
