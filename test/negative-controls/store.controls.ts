/** The rules that a store keeps, switched off in the model that the Lua scripts are held to. */
import type { Control } from './control.interface.js';

const RULES = 'lib/stores/memory/lease-rules.ts';

export const STORE_CONTROLS: readonly Control[] = [
  {
    rules: [7],
    off: 'the holder of a lease is granted it again with the same epoch',
    edits: [
      {
        file: RULES,
        find: 'const next = Math.max(known, floor) + 1;',
        replace: 'const next = Math.max(known, floor) + (lease === null ? 1 : 0);',
      },
    ],
    caughtBy: { family: 'network' },
  },
  {
    rules: [7],
    off: 'an early attempt that arrives late is granted over a later one',
    edits: [
      {
        file: RULES,
        find: "if (lease !== null && (record?.attempt ?? 0) > request.attempt) because = 'outdated';",
        replace: '',
      },
    ],
    caughtBy: {
      test: 'test/contract/memory.test.ts',
      name: 'InMemoryLeaseStore keeps the contract of a lease store acquire lets an attempt',
    },
  },
  {
    rules: [9],
    off: 'a renewal creates an expired lease anew',
    edits: [
      {
        file: RULES,
        find: 'if (!mine && (lease !== null || !dataLost)) {',
        replace: 'if (!mine && lease !== null) {',
      },
    ],
    caughtBy: {
      test: 'test/contract/memory.test.ts',
      name: 'InMemoryLeaseStore keeps the contract of a lease store renew S-07',
    },
  },
  {
    rules: [9],
    off: 'a release deletes whatever lease there is',
    edits: [
      {
        file: RULES,
        find: 'if (!isOf(stored, liveLease(stored, server.nowMs), request)) return false;\n  stored.lease = null;',
        replace: 'stored.lease = null;',
      },
    ],
    caughtBy: { family: 'processes' },
  },
  {
    rules: [12],
    off: 'a leader does not write its lease back to a store that lost it',
    edits: [
      {
        file: RULES,
        find: 'const dataLost = (stored.record?.epoch ?? 0) < request.epoch;',
        replace: 'const dataLost = false;',
      },
    ],
    caughtBy: {
      test: 'test/unit/election/renew.test.ts',
      name: 'rule 12: a leader writes its lease back',
    },
  },
  {
    rules: [13],
    off: 'what a candidate has seen does not count for the next epoch, nor against the store',
    edits: [
      {
        file: RULES,
        find: 'const next = Math.max(known, floor) + 1;',
        replace: 'const next = known + 1;',
      },
      { file: RULES, find: 'stored.record.epoch < floor ||', replace: '' },
    ],
    caughtBy: {
      test: 'test/contract/memory.test.ts',
      name: 'grants above every epoch that the candidate has seen',
    },
  },
  {
    rules: [14],
    off: 'epochs are a counter only, also where data was lost',
    edits: [
      {
        file: RULES,
        find: 'const epoch = changed ? Math.max(next, Math.floor(nowMs)) : next;',
        replace: 'const epoch = next;',
      },
    ],
    caughtBy: { family: 'data' },
  },
  {
    rules: [14, 15],
    off: 'another server is taken for the same',
    edits: [
      {
        file: RULES,
        find: 'stored.record?.server !== server.id ||',
        replace: 'stored.record === null ||',
      },
    ],
    caughtBy: { family: 'failover' },
  },
  {
    rules: [12, 15],
    off: 'a lease that was written back hides that data was lost',
    edits: [
      {
        file: RULES,
        find: "server: '',\n    expiresAt,",
        replace: 'server: server.id,\n    expiresAt,',
      },
    ],
    caughtBy: {
      test: 'test/contract/memory.test.ts',
      name: 'InMemoryLeaseStore keeps the contract of a lease store after the store lost its data holds off',
    },
  },
  {
    rules: [15],
    off: 'no hold-off',
    edits: [
      {
        file: RULES,
        find: "if (holdOff === 'never') return 0;",
        replace: 'return 0;',
      },
    ],
    caughtBy: { family: 'data' },
  },
  {
    rules: [16],
    off: 'a lease that vanished before its end is free',
    edits: [
      { file: RULES, find: 'if (vanishedMs > waitMs) {', replace: 'if (vanishedMs > Infinity) {' },
    ],
    caughtBy: { family: 'data' },
  },
  {
    rules: [17],
    off: 'a grant or renewal counts without its replicas',
    edits: [
      {
        file: 'lib/election/lease-keeper.ts',
        find: 'minReplicaAcks: config.minReplicaAcks,',
        replace: 'minReplicaAcks: 0,',
      },
      {
        file: 'lib/election/campaign.ts',
        find: 'minReplicaAcks: config.minReplicaAcks,',
        replace: 'minReplicaAcks: 0,',
      },
    ],
    caughtBy: { family: 'split-brain' },
  },
];
