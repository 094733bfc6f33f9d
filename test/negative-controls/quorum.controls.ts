/** What a quorum rests on. */
import type { Control } from './control.interface.js';

const STORE = 'lib/stores/quorum/quorum-lease-store.ts';

export const QUORUM_CONTROLS: readonly Control[] = [
  {
    rules: [],
    off: 'half of a quorum is enough',
    edits: [
      {
        file: 'lib/stores/quorum/collect.ts',
        find: 'return Math.floor(members / 2) + 1;',
        replace: 'return Math.floor(members / 2);',
      },
    ],
    caughtBy: { family: 'quorum' },
  },
  {
    rules: [],
    off: 'one round only: each server of a quorum keeps the epoch that it granted',
    edits: [
      {
        file: STORE,
        find: 'const raised = await this.raiseEpochs(request, epoch, Math.max(1, Math.floor(leftMs)));',
        replace: 'const raised = granted; void leftMs;',
      },
    ],
    caughtBy: { family: 'quorum' },
  },
  {
    rules: [15],
    off: 'a flushed server of a quorum is taken for one where the election is new',
    edits: [
      {
        file: STORE,
        find: "const isNew = request.holdOff === 'auto' && request.floor === 0;",
        replace: 'const isNew = false;',
      },
    ],
    caughtBy: { test: 'test/quorum/lost-data.test.ts', name: 'One server that was flushed' },
  },
  {
    rules: [],
    off: 'a second round of a quorum that fails is none the less a grant',
    edits: [
      {
        file: STORE,
        find: 'if (raised.yes.length < this.majority) {',
        replace: 'if (raised.yes.length > Infinity) {',
      },
    ],
    caughtBy: {
      test: 'test/quorum/two-rounds.test.ts',
      name: 'A try that comes to nothing is no grant when the second round',
    },
  },
  {
    rules: [],
    off: 'the second round of a quorum raises whatever lease this holder has',
    edits: [
      {
        file: 'lib/stores/redis/scripts/raise-epoch.script.ts',
        find: 'if not lease_is_of(holder, -1, ARGV[3]) then',
        replace: 'if not lease or lease_holder ~= holder then',
      },
    ],
    caughtBy: { test: 'test/redis/attempts.test.ts', name: 'raiseEpoch: by the attempt alone' },
  },
  {
    rules: [],
    off: 'a failed try of a quorum gives back whatever lease this holder has',
    edits: [
      {
        file: 'lib/stores/memory/lease-rules.ts',
        find: 'if (!isOf(stored, liveLease(stored, server.nowMs), request)) return false;',
        replace: 'if (liveLease(stored, server.nowMs)?.holder !== request.by.holder) return false;',
      },
    ],
    caughtBy: { family: 'quorum' },
  },
  {
    rules: [],
    off: 'what a failed try of a quorum was granted is kept',
    edits: [
      {
        file: STORE,
        find: 'this.underWay.add(giveBack()).catch(() => undefined);',
        replace: 'void giveBack;',
      },
    ],
    caughtBy: { family: 'quorum' },
  },
];
