/** What Redis refuses for the time being is a state, told with what it waits for, and over when Redis serves again. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Cluster } from 'ioredis';
import { rm } from 'node:fs/promises';
import { toStoreError } from '../../lib/stores/redis/redis-errors.js';
import type { RedisSource } from '../../lib/stores/redis/redis-client.js';
import { RedisLeaseStore } from '../../lib/stores/redis/redis-lease-store.js';
import { awaitUntil } from '../support/await-until.js';
import { freePort } from '../support/redis/free-port.js';
import { RedisServer } from '../support/redis/redis-server.js';
import { holder, requestBy } from '../support/redis/requests.js';

const A = holder('a');

interface State {
  readonly says: RegExp;
  readonly begin: (server: RedisServer) => Promise<unknown>;
  readonly end: (server: RedisServer) => Promise<unknown>;
}

const STATES: Readonly<Record<string, State>> = {
  READONLY: {
    says: /READONLY.*Sentinels/,
    begin: async ({ admin }) => admin.replicaof('127.0.0.1', await freePort()),
    end: ({ admin }) => admin.replicaof('NO', 'ONE'),
  },
  MASTERDOWN: {
    says: /MASTERDOWN.*failover/,
    begin: async ({ admin }) => {
      await admin.config('SET', 'replica-serve-stale-data', 'no');
      await admin.replicaof('127.0.0.1', await freePort());
    },
    end: async ({ admin }) => {
      await admin.replicaof('NO', 'ONE');
      await admin.config('SET', 'replica-serve-stale-data', 'yes');
    },
  },
  NOREPLICAS: {
    says: /NOREPLICAS.*min-replicas-to-write/,
    begin: ({ admin }) => admin.config('SET', 'min-replicas-to-write', '1'),
    end: ({ admin }) => admin.config('SET', 'min-replicas-to-write', '0'),
  },
  OOM: {
    says: /OOM.*maxmemory/,
    begin: ({ admin }) => admin.config('SET', 'maxmemory', '1'),
    end: ({ admin }) => admin.config('SET', 'maxmemory', '0'),
  },
  BUSY: {
    says: /BUSY.*SCRIPT KILL/,
    begin: async (server) => {
      await server.admin.config('SET', 'lua-time-limit', '20');
      // It never answers, and is killed in the end.
      const looping = server.admin.duplicate();
      looping
        .eval('while true do end', 0)
        .catch(() => undefined)
        .finally(() => looping.disconnect());
      const isBusy = (): Promise<boolean> =>
        server.admin.ping().then(
          () => false,
          (error: Error) => error.message.startsWith('BUSY'),
        );
      await awaitUntil(isBusy, { what: 'the script blocks the server' });
    },
    end: ({ admin }) => admin.script('KILL'),
  },
};

describe('A state in which Redis refuses', () => {
  let server: RedisServer;
  const stores: RedisLeaseStore[] = [];

  beforeAll(async () => {
    server = await RedisServer.start();
  });
  beforeEach(() => server.admin.flushall());
  afterEach(async () => {
    await Promise.all(stores.splice(0).map((store) => store.close()));
  });
  afterAll(() => server.stop());

  function open(redis: RedisSource): RedisLeaseStore {
    const store = new RedisLeaseStore({ redis });
    stores.push(store);
    return store;
  }

  it.each(Object.entries(STATES))(
    '%s is told with its remedy, and is over when Redis serves again',
    async (_, { says, begin, end }) => {
      const store = open(server.url);
      await store.inspect({ election: 'jobs', timeoutMs: 5_000 });
      await begin(server);
      try {
        await expectUnavailable(store, says);
        // Whoever connects meanwhile is told the same.
        await expectUnavailable(open(server.url), says);
      } finally {
        await end(server);
      }
      await untilGranted(store);
    },
  );

  it('F-09: MISCONF is told with its remedy, and is over when Redis can save again', async () => {
    const saving = await RedisServer.start({ settings: { save: '3600 1' } });
    try {
      await rm(saving.directory, { recursive: true });
      await saving.admin.bgsave();
      await awaitUntil(
        async () => (await saving.info('persistence', 'rdb_last_bgsave_status')) === 'err',
        { what: 'it has failed to save' },
      );
      const store = open(saving.url);
      await expectUnavailable(store, /MISCONF.*disk/);
      await saving.admin.config('SET', 'stop-writes-on-bgsave-error', 'no');
      await untilGranted(store);
    } finally {
      await saving.stop();
    }
  });

  it('CLUSTERDOWN is told with its remedy, and is over when the slots have a primary', async () => {
    const node = await RedisServer.start({ cluster: true });
    const user = new Cluster([node.address], { lazyConnect: true });
    try {
      await expectUnavailable(open(node.url), /CLUSTERDOWN.*nodes/);
      const store = open(user);
      await expect(store.acquire(requestBy(A, { timeoutMs: 1_000 }))).rejects.toThrow();
      await node.admin.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
      await untilGranted(store);
    } finally {
      user.disconnect();
      await node.stop();
    }
  });

  it.each([
    ['LOADING Redis is loading the dataset in memory', /restarted/],
    ['TRYAGAIN Multiple keys request during rehashing of slot', /being moved/],
    [
      "READONLY You can't write against a read only replica. script: f00, on @user_script:9.",
      /pri/,
    ],
    [
      // Redis 6.2 puts its own words in front.
      "ERR Error running script (call to f_00): @user_script:9: -READONLY You can't write against a read only replica.",
      /replica.*Sentinels/,
    ],
    ["OOM command not allowed when used memory > 'maxmemory'.", /maxmemory/],
    ['ERR something that nobody has heard of', /heard/],
  ])('reads "%s" as a state that passes', (message, remedy) => {
    const error = toStoreError(new Error(message));
    expect(error).toMatchObject({ kind: 'unavailable' });
    expect(error.message).toMatch(remedy);
  });

  it.each([
    ["NOPERM User app has no permissions to run the 'evalsha' command", /README/],
    ['MOVED 6000 10.0.0.7:6379', /`Cluster`/],
    ['WRONGPASS invalid username-password pair or user is disabled.', /password/],
  ])('reads "%s" as something that a person must mend', (message, remedy) => {
    const error = toStoreError(new Error(message));
    expect(error).toMatchObject({ kind: 'misconfigured' });
    expect(error.message).toMatch(remedy);
  });
});

async function expectUnavailable(store: RedisLeaseStore, says: RegExp): Promise<void> {
  await expect(store.acquire(requestBy(A))).rejects.toMatchObject({
    kind: 'unavailable',
    message: expect.stringMatching(says),
  });
}

async function untilGranted(store: RedisLeaseStore): Promise<void> {
  await awaitUntil(
    () =>
      store.acquire(requestBy(A)).then(
        ({ granted }) => granted,
        () => false,
      ),
    { what: 'it is granted' },
  );
}
