import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { Redis } from 'ioredis';
import { ACQUIRE } from '../../lib/stores/redis/scripts/acquire.script.js';
import { INSPECT } from '../../lib/stores/redis/scripts/inspect.script.js';
import { RAISE_EPOCH } from '../../lib/stores/redis/scripts/raise-epoch.script.js';
import { RELEASE } from '../../lib/stores/redis/scripts/release.script.js';
import { RENEW } from '../../lib/stores/redis/scripts/renew.script.js';
import type { RedisScript } from '../../lib/stores/redis/scripts/script.js';
import { RedisServer } from '../support/redis/redis-server.js';

const SCRIPTS = [ACQUIRE, RAISE_EPOCH, RENEW, RELEASE, INSPECT];
const KEYS = ['{jobs}:lease', '{jobs}:record'] as const;
const [LEASE, RECORD] = KEYS;
const TTL_MS = '60000';

describe('The scripts', () => {
  let redis: RedisServer;

  beforeAll(async () => {
    redis = await RedisServer.start();
  });
  afterAll(() => redis.stop());
  beforeEach(() => redis.admin.flushall());

  async function run(script: RedisScript, args: string[], client = redis.admin): Promise<string[]> {
    const replies = await client.eval(script.source, 2, LEASE, RECORD, 'tag-1', ...args);
    const [reply = []] = replies as string[][];
    return reply;
  }

  const acquire = (by: string, over: { attempt?: string; holdOff?: string; floor?: string } = {}) =>
    run(ACQUIRE, acquireArgs(by, over));
  const renew = (by: string, epoch: string) =>
    run(RENEW, [by, '1', TTL_MS, epoch, `node-${by}`, '{}']);
  const release = (by: string, epoch: string) => run(RELEASE, [by, epoch, '1']);
  const raiseEpoch = (by: string, epoch: string) => run(RAISE_EPOCH, [by, '1', epoch]);

  /** A grant, with the epoch that was granted. */
  async function granted(by: string, attempt = '1'): Promise<string> {
    const [, outcome, , epoch = ''] = await acquire(by, { attempt });
    expect(outcome).toBe('granted');
    return epoch;
  }

  describe('answer as their headers say', () => {
    it('acquire: each outcome, notice and cause of the header, and no others', async () => {
      const forms: string[][] = [];
      const note = async (reply: Promise<string[]>): Promise<void> => {
        forms.push(await reply);
      };
      await note(acquire('a', { holdOff: 'always' })); // hold-off
      await redis.admin.flushall();
      await note(acquire('a')); // granted
      await note(acquire('b')); // held
      await note(acquire('a', { attempt: '0' })); // outdated
      await redis.admin.del(LEASE);
      await note(acquire('b')); // vanished
      await redis.admin.set(LEASE, 'something else');
      await note(acquire('b')); // an endless lease
      await redis.admin.flushall();
      await note(withoutInfo((client) => run(ACQUIRE, acquireArgs('a'), client)));

      const header = await headerOf('acquire');
      expectSame(
        forms.map(([, outcome]) => outcome),
        ['granted', 'refused'],
      );
      expect(outcomesIn(header)).toEqual(['granted', 'refused']);
      expectSame(
        forms.map(([, , notice]) => notice),
        namesAfter('notice is', header),
      );
      const refusals = forms.filter(([, outcome]) => outcome === 'refused');
      expectSame(
        refusals.map(([, , , cause]) => cause),
        namesAfter('cause is', header),
      );
      expectLengths(forms, header);
    });

    it('renew: each outcome of the header, and no others', async () => {
      const epoch = await granted('a');
      const forms = [await renew('a', epoch), await renew('b', epoch)];
      await redis.admin.del(LEASE);
      forms.push(await renew('a', epoch));

      const header = await headerOf('renew');
      expectSame(
        forms.map(([, outcome]) => outcome),
        outcomesIn(header),
      );
      expectLengths(forms, header);
    });

    it('release: each outcome of the header, and no others', async () => {
      const epoch = await granted('a');
      const forms = [await release('a', epoch), await release('a', epoch)];

      const header = await headerOf('release');
      expectSame(
        forms.map(([, outcome]) => outcome),
        outcomesIn(header),
      );
      expectLengths(forms, header);
    });

    it('raiseEpoch: each outcome of the header, and no others', async () => {
      const epoch = await granted('a');
      const higher = String(Number(epoch) + 5);
      const forms = [await raiseEpoch('a', higher), await raiseEpoch('b', higher)];

      const header = await headerOf('raiseEpoch');
      expectSame(
        forms.map(([, outcome]) => outcome),
        outcomesIn(header),
      );
      expectLengths(forms, header);
    });

    it('inspect: a free lease, a held one, and one without an end', async () => {
      const header = await headerOf('inspect');
      const free = await run(INSPECT, []);
      expect(free).toEqual(['tag-1', 'seen', '0', '0', '0', '', '0', '', '']);
      const epoch = await granted('a');
      const held = await run(INSPECT, []);
      const seen = ['tag-1', 'seen', held[2], epoch, TTL_MS, 'a', epoch, 'node-a', '{"at":"a"}'];
      expect(held).toEqual(seen);
      expect(Number(held[2])).toBeGreaterThan(50_000);
      await redis.admin.persist(LEASE);
      expect((await run(INSPECT, []))[2]).toBe('-1');
      expectLengths([free, held], header);
    });

    it('name the node id only of a holder that the record describes', async () => {
      await granted('a');
      await redis.admin.set(LEASE, 'stranger', 'PX', 60_000);
      expect((await run(INSPECT, [])).slice(5)).toEqual(['stranger', '0', '', '']);
    });

    it('start with the tag of the request, so that no other request takes them for its own', async () => {
      const epoch = await granted('a');
      const all = [
        await acquire('a'),
        await acquire('b'),
        await renew('a', epoch),
        await renew('b', epoch),
        await run(INSPECT, []),
        await raiseEpoch('b', epoch),
        await raiseEpoch('a', epoch),
        await release('b', epoch),
        await release('a', epoch),
      ];
      expect(new Set(all.map(([tag]) => tag))).toEqual(new Set(['tag-1']));
    });
  });

  describe('write little', () => {
    it('inspect changes nothing', async () => {
      await granted('a');
      const before = [await redis.admin.get(LEASE), await redis.admin.hgetall(RECORD)];
      await run(INSPECT, []);
      expect([await redis.admin.get(LEASE), await redis.admin.hgetall(RECORD)]).toEqual(before);
    });

    it('a lease always has an end, a record never', async () => {
      await granted('a');
      expect(await redis.admin.pttl(LEASE)).toBeGreaterThan(0);
      expect(await redis.admin.pttl(RECORD)).toBe(-1);
    });

    it('the epoch and the end that the record tells are those of the lease', async () => {
      const epoch = await granted('a');
      const lease = await redis.admin.get(LEASE);
      const record = await redis.admin.hgetall(RECORD);
      expect(lease).toBe(`a|${epoch}`);
      expect(record).toMatchObject({ epoch, holder: 'a', attempt: '1', ttl: TTL_MS });
      expect(Number(record['expiresAt'])).toBe(await redis.admin.pexpiretime(LEASE));
      await renew('a', epoch);
      expect(Number((await redis.admin.hgetall(RECORD))['expiresAt'])).toBe(
        await redis.admin.pexpiretime(LEASE),
      );
    });
  });

  it.each(SCRIPTS)('F-20: $name touches only its KEYS', ({ source }) => {
    const calls = [...source.matchAll(/redis\.(\w+)\s*\(([^,)]*)(?:,\s*([^,)]*))?/g)];
    expect(calls.length).toBeGreaterThan(0);
    for (const [, how, command = '', firstArgument] of calls) {
      expect(['call', 'pcall']).toContain(how);
      expect(command).toMatch(/^'[A-Z]+'$/);
      if (command === "'TIME'") expect(firstArgument).toBeUndefined();
      else if (command === "'INFO'") expect(firstArgument).toMatch(/^'(server|replication)'$/);
      else if (command === "'PUBLISH'") expect(firstArgument).toBe('KEYS[1]');
      else expect(firstArgument).toMatch(/^KEYS\[[12]\]$/);
    }
    expect(source).not.toMatch(/redis\[|KEYS\[[^12]\]/);
  });

  it.each(SCRIPTS)('$name reads the arguments that its header lists', async ({ name, source }) => {
    const [, listed = ''] = /ARGV\[1\]([\s\S]*?)\n \*\n/.exec(await headerOf(name)) ?? [];
    const inHeader = ['1', ...[...listed.matchAll(/\[(\d)\]/g)].map(([, number]) => number)];
    const read = [...source.matchAll(/ARGV\[(\d)\]/g)].map(([, number]) => number);
    expect(inHeader).toEqual(expect.arrayContaining(read));
  });

  /** As a user that may not run INFO. */
  async function withoutInfo<T>(ask: (client: Redis) => Promise<T>): Promise<T> {
    await redis.admin.call('ACL', 'SETUSER', 'blind', 'on', 'nopass', '~*', '&*', '+@all', '-info');
    const client = new Redis(redis.port, {
      username: 'blind',
      password: 'any',
      enableReadyCheck: false,
    });
    try {
      return await ask(client);
    } finally {
      client.disconnect();
    }
  }
});

function acquireArgs(
  by: string,
  { attempt = '1', holdOff = 'never', floor = '0' }: Record<string, string | undefined> = {},
): string[] {
  return [by, attempt, TTL_MS, floor, holdOff, `node-${by}`, JSON.stringify({ at: by }), TTL_MS];
}

async function headerOf(script: string): Promise<string> {
  const name = script.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const url = new URL(`../../lib/stores/redis/scripts/${name}.script.ts`, import.meta.url);
  return /\/\*\*[\s\S]*?\*\//.exec(await readFile(url, 'utf8'))?.[0] ?? '';
}

/** `tag, 'taken' | 'gone', known epoch` → taken, gone */
function outcomesIn(header: string): string[] {
  return replyLines(header).flatMap(([, second = '']) => alternatives(second));
}

function replyLines(header: string): string[][] {
  return [...header.matchAll(/^ \* {3}(tag,.*)$/gm)].map(([, line = '']) => line.split(', '));
}

/** `cause is held | hold-off.` → held, hold-off */
function namesAfter(words: string, header: string): string[] {
  const [, list = ''] = new RegExp(`${words} ([^,.]*)`).exec(header) ?? [];
  return alternatives(list);
}

function alternatives(list: string): string[] {
  return list.split('|').map((name) => name.trim().replaceAll("'", ''));
}

/** The same names, in any order and however often. */
function expectSame(seen: readonly (string | undefined)[], named: readonly string[]): void {
  expect(new Set(seen)).toEqual(new Set(named));
}

/** Each reply has as many elements as its line in the header. */
function expectLengths(forms: readonly string[][], header: string): void {
  const lengths = new Map(
    replyLines(header).flatMap((line) =>
      alternatives(line[1] ?? '').map((outcome) => [outcome, line.length] as const),
    ),
  );
  for (const form of forms) expect(form).toHaveLength(lengths.get(form[1] ?? '') ?? -1);
}
