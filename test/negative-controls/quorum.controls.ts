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
    rules: [],
    off: 'the second round of a quorum raises whatever lease this holder has',
    edits: [
      {
        file: 'lib/stores/memory/lease-rules.ts',
        find: '!isOf(stored, lease, { ...request, epoch: 0 })',
        replace: 'lease.holder !== request.by.holder',
      },
    ],
    caughtBy: { family: 'quorum' },
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
        find: 'this.track(giveBack()).catch(() => undefined);',
        replace: 'void giveBack;',
      },
    ],
    caughtBy: { family: 'quorum' },
  },
];
