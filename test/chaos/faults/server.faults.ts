/** What one Redis does to those who depend on it: it dies, comes back without its data, stalls, refuses, forgets. */
import { sleep } from '../../support/process/cluster.js';
import type { RedisServer } from '../../support/redis/redis-server.js';
import {
  between,
  digitsOf,
  type FaultKinds,
  oneOf,
  type Play,
  type PlannedFault,
} from './fault.interface.js';

export const ELECTION = 'default';
export const LEASE_KEY = `leader-election:{${ELECTION}}:lease`;
const RECORD_KEY = `leader-election:{${ELECTION}}:record`;
const ADMIN_TIMEOUT_MS = 3000;
/** Each breaks another part of a script, or the way to it. */
const REVOCATIONS = [
  ['-evalsha', '-eval'],
  ['-set'],
  ['-hset'],
  ['-pexpire'],
  ['-hgetall', '-hmget'],
];

/** Which server a fault hits, and whether its data may be lost now. */
export interface ServerChoice {
  target(fault: PlannedFault): Promise<RedisServer>;
  /** Throws `NotNow` where it must not lose any; notes that it may have. */
  losing(server: RedisServer, downMs: number): void;
}

type OnServer = (server: RedisServer, ttlMs: number, fault: PlannedFault) => Promise<void>;

/** Faults that end with the server up and as it was, but for its data. */
export function serverFaults(choice: ServerChoice): FaultKinds {
  const keeping = (play: OnServer): Play => {
    return async ({ ttlMs }, fault) => play(await choice.target(fault), ttlMs, fault);
  };
  const losing = (play: OnServer, downPart = 0): Play => {
    return async ({ ttlMs }, fault) => {
      const server = await choice.target(fault);
      choice.losing(server, downPart * ttlMs);
      await play(server, ttlMs, fault);
    };
  };
  return {
    // Between the snapshot and the end something may have been granted.
    'redis restart': losing((server) => server.restart()),
    'redis restart, old data': losing(restartOld),
    'redis restart, empty': losing((server) => server.restartEmpty()),
    'redis away': losing(goAway, 3),
    'redis stopped': keeping(stall),
    'client pause': keeping(pauseClients),
    'client kill': keeping(killClients),
    'script flush': keeping((server) => admin(server, 'SCRIPT', 'FLUSH')),
    'rights revoked': keeping(revoke),
    'memory full': keeping(fillMemory),
    evicted: losing(evict),
    flushall: losing((server) => admin(server, 'FLUSHALL')),
    'lease deleted': keeping((server) => admin(server, 'DEL', LEASE_KEY)),
    'record deleted': losing((server) => admin(server, 'DEL', RECORD_KEY)),
  };
}

/** With what was last saved, if anything: a crash. */
async function restartOld(server: RedisServer): Promise<void> {
  await server.kill();
  await server.launch();
}

async function goAway(server: RedisServer, ttlMs: number, { amount }: PlannedFault): Promise<void> {
  if (digitsOf(amount) < 0.5) await inTime(server.admin.save());
  await server.kill();
  await sleep(between(0.1 * ttlMs, 3 * ttlMs, amount));
  await server.launch();
}

async function stall(server: RedisServer, ttlMs: number, { amount }: PlannedFault): Promise<void> {
  server.pause();
  await sleep(between(0.1 * ttlMs, 2 * ttlMs, amount));
  server.resume();
}

async function pauseClients(server: RedisServer, ttlMs: number, { amount }: PlannedFault) {
  const ms = between(0.1 * ttlMs, 2 * ttlMs, amount);
  await admin(server, 'CLIENT', 'PAUSE', ms, digitsOf(amount) < 0.5 ? 'WRITE' : 'ALL');
  await sleep(ms);
}

async function killClients(server: RedisServer, _: number, { amount }: PlannedFault) {
  const type = oneOf(['normal', 'pubsub', 'normal'], amount);
  await admin(server, 'CLIENT', 'KILL', 'TYPE', type, 'SKIPME', 'yes');
}

async function revoke(server: RedisServer, ttlMs: number, { amount, whom }: PlannedFault) {
  await admin(server, 'ACL', 'SETUSER', 'default', ...oneOf(REVOCATIONS, whom));
  try {
    await sleep(between(0.1 * ttlMs, 2 * ttlMs, amount));
  } finally {
    await admin(server, 'ACL', 'SETUSER', 'default', '+@all');
  }
}

async function fillMemory(server: RedisServer, ttlMs: number, { amount }: PlannedFault) {
  await limitMemory(server, 'noeviction', between(0.1 * ttlMs, 3 * ttlMs, amount));
}

/** Everything there is. */
async function evict(server: RedisServer, ttlMs: number, { amount, whom }: PlannedFault) {
  const policy = oneOf(['allkeys-random', 'volatile-ttl'], whom);
  await limitMemory(server, policy, between(0.1 * ttlMs, ttlMs, amount));
}

async function limitMemory(server: RedisServer, policy: string, forMs: number): Promise<void> {
  await admin(server, 'CONFIG', 'SET', 'maxmemory-policy', policy, 'maxmemory', '1');
  try {
    await sleep(forMs);
  } finally {
    await admin(server, 'CONFIG', 'SET', 'maxmemory', '0', 'maxmemory-policy', 'noeviction');
  }
}

async function admin(server: RedisServer, command: string, ...args: readonly (string | number)[]) {
  await inTime(server.admin.call(command, ...args));
}

/** The admin connection waits for a server that is away. */
async function inTime(answer: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise((_, reject) => {
    timer = setTimeout(
      () => reject(new Error('Redis gave the runner no answer.')),
      ADMIN_TIMEOUT_MS,
    );
  });
  await Promise.race([answer, timeout]).finally(() => clearTimeout(timer));
}
