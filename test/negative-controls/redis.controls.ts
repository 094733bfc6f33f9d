/** The rules that only a real Redis can show: the connection, and what a reply means. */
import type { Control } from './control.interface.js';

const CLIENT = 'lib/stores/redis/redis-client.ts';
const RUNNER = 'lib/stores/redis/script-runner.ts';

export const REDIS_CONTROLS: readonly Control[] = [
  {
    rules: [14, 15],
    off: 'a server is its run id alone, so that one which is promoted again is the same',
    edits: [
      {
        file: 'lib/stores/redis/scripts/server-now.ts',
        find: "server = run_id .. ':' .. (promotion or '')",
        replace: 'server = run_id',
      },
    ],
    caughtBy: { test: 'test/redis/failback.test.ts', name: 'A failover and back holds off' },
  },
  {
    rules: [15],
    off: 'a promoted replica without a record is taken for a server where the election is new',
    edits: [
      {
        file: 'lib/stores/redis/scripts/acquire.script.ts',
        find: "server ~= 'hidden' and not was_promoted then",
        replace: "server ~= 'hidden' then",
      },
    ],
    caughtBy: {
      test: 'test/redis/failback.test.ts',
      name: 'A failover and back holds off on a promoted',
    },
  },
  {
    rules: [17],
    off: 'what WAIT answers is not looked at',
    edits: [
      {
        file: 'lib/stores/redis/replica-acks.ts',
        find: 'return acks >= minReplicaAcks;',
        replace: 'return true;',
      },
    ],
    caughtBy: { test: 'test/redis/replica-acks.test.ts', name: '' },
  },
  {
    rules: [24],
    off: 'commands are queued while there is no connection, and sent again when it breaks',
    edits: [
      {
        file: CLIENT,
        find: 'enableOfflineQueue: false,\n    autoResendUnfulfilledCommands: false,\n    maxRetriesPerRequest: 0,',
        replace:
          'enableOfflineQueue: true,\n    autoResendUnfulfilledCommands: true,\n    maxRetriesPerRequest: 20,',
      },
    ],
    caughtBy: { test: 'test/redis/outage.test.ts', name: '' },
  },
  {
    rules: [24],
    off: 'a request that was given up is sent with those of its turn that were not',
    edits: [{ file: RUNNER, find: 'batch.filter(({ isOver }) => !isOver)', replace: 'batch' }],
    caughtBy: { test: 'test/redis/batches.test.ts', name: 'rule 24' },
  },
  {
    rules: [25],
    off: 'a reply is taken for the answer to whatever was asked',
    edits: [{ file: RUNNER, find: ' && reply[0] === tag', replace: '' }],
    caughtBy: { test: 'test/redis/replies.test.ts', name: '' },
  },
  {
    rules: [25],
    off: 'a script that the server has forgotten is an error',
    edits: [
      {
        file: RUNNER,
        find: 'if (!isUnknownScript(error)) throw error;',
        replace: 'throw error;',
      },
    ],
    caughtBy: { test: 'test/redis/script-cache.test.ts', name: '' },
  },
];
