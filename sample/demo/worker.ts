/** The entry of one process of the demo. */
import type { HistoryEvent } from '../../lib/index.js';
import { startDemoNode } from './demo-node.js';

export interface DemoWorkerOptions {
  readonly node: string;
  readonly election: string;
  readonly redis: string;
}

export type DemoWorkerMessage = { readonly ready: true } | { readonly event: HistoryEvent };

const tell = (message: DemoWorkerMessage) => {
  if (process.connected) process.send?.(message);
};

// The demo decides when a process ends; without it none stays behind.
process.on('SIGINT', () => undefined);
process.on('disconnect', () => process.exit(1));

const { node, election, redis } = JSON.parse(process.env['DEMO_WORKER'] ?? '') as DemoWorkerOptions;
const app = await startDemoNode({
  node,
  options: { name: election, redis },
  onEvent: (event) => tell({ event }),
});
app.enableShutdownHooks(['SIGTERM']);
if (!process.connected) process.exit(1);
tell({ ready: true });
