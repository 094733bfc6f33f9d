/** Plays the demo, cleans up whatever happens, and exits with 0 only if nothing was wrong. */
import { findRedis } from './demo-redis.js';
import { MemoryStage } from './memory-stage.js';
import { ProcessStage } from './process-stage.js';
import type { Stage } from './stage.interface.js';
import { Story } from './story.js';
import { print } from './timeline.js';

const EXIT_OF_SIGNAL = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

let stage: Stage | null = null;
let ending = false;

async function end(exitCode: number): Promise<void> {
  if (ending) return;
  ending = true;
  await stage?.close();
  process.exit(exitCode);
}

for (const [signal, exitCode] of Object.entries(EXIT_OF_SIGNAL)) {
  process.on(signal, () => {
    if (!ending) print('\nStopped; cleaning up.');
    // Never rejects: `close()` does not.
    void end(exitCode);
  });
}
// Nobody reads any more, for example `npm run demo | head`.
process.stdout.on('error', () => void end(1));

async function main(): Promise<number> {
  const redis = await findRedis();
  stage = redis === null ? new MemoryStage() : new ProcessStage(redis);
  const story = new Story(stage);
  await story.play();
  // Before the figures: what the processes still say while they end counts too.
  await stage.close();
  const violations = story.summarize();
  for (const { rule, message } of violations) print(`  WRONG (${rule}): ${message}`);
  print(violations.length === 0 ? '  Never two leaders, no epoch twice.\n' : '');
  return violations.length === 0 ? 0 : 1;
}

main().then(
  (exitCode) => void end(exitCode),
  (error: unknown) => {
    if (!ending) process.stderr.write(`The demo failed: ${String(error)}\n`);
    void end(1);
  },
);
