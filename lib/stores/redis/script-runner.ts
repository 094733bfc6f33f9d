import type { Redis } from 'ioredis';
import { LeaseStoreError } from '../../election/election.errors.js';
import { toStoreError } from './redis-errors.js';
import type { ElectionKeys } from './redis-keys.js';
import type { RedisLink } from './redis-link.js';
import type { RedisScript } from './scripts/script.js';

export interface RunOptions {
  readonly timeoutMs: number;
  /** How many replicas must have what a yes has written, or the run rejects (rule 17). @default 0 */
  readonly minReplicaAcks?: number;
}

/** What part of the timeout the server waits for its replicas; the rest is for the way there and back … */
const WAIT_PART_OF_TIMEOUT = 0.7;
/** … and for the tick in which it notices that the time is up: ten a second, unless `hz` says otherwise. */
const WAIT_TICK_MS = 100;
const LEAST_WAIT_PART_OF_TIMEOUT = 1 / 3;

interface Outcome {
  readonly reply: unknown;
  /** How many replicas have it; Infinity where nobody asked. */
  readonly acks: number;
}

/** One call on its way: the connection that it was sent on last, if any. */
interface Sending {
  on: Redis | null;
  readonly isLate: () => boolean;
}

/**
 * Runs scripts over one link: by hash, each with a timeout of its own, and each reply checked to be the answer to
 * this very request.
 */
export class ScriptRunner {
  private lastTag = 0;
  private readonly answeredAt = new WeakMap<Redis, number>();

  constructor(private readonly link: RedisLink) {}

  /** The reply without its tag. Rejects with a `LeaseStoreError`. */
  run(
    script: RedisScript,
    keys: ElectionKeys,
    args: readonly (string | number)[],
    options: RunOptions,
  ): Promise<readonly string[]> {
    return this.within(options.timeoutMs, (sending) =>
      this.send(script, keys, args, options, sending),
    );
  }

  private async send(
    script: RedisScript,
    keys: ElectionKeys,
    args: readonly (string | number)[],
    options: RunOptions,
    sending: Sending,
  ): Promise<readonly string[]> {
    const tag = String(++this.lastTag);
    const all = [keys.lease, keys.record, tag, ...args];
    const run = (command: 'evalsha' | 'eval', text: string): Promise<Outcome> =>
      this.link.send(
        keys.lease,
        (connection) => {
          sending.on = connection;
          return this.call(connection, command, text, all, options);
        },
        sending.isLate,
      );
    let outcome: Outcome;
    try {
      // With acknowledgements a NOSCRIPT would cost a WAIT before it is known.
      const byHash = !options.minReplicaAcks;
      outcome = await (byHash ? run('evalsha', script.sha) : run('eval', script.source));
    } catch (error) {
      if (!isUnknownScript(error)) throw error;
      outcome = await run('eval', script.source);
    }
    const answer = answerTo(tag, outcome.reply);
    if (answer !== null) {
      if (answer[0] === script.yes) assertReplicated(outcome.acks, options);
      return answer;
    }
    // One reply is missing or too many, and so every later one here would answer another request, too.
    if (sending.on !== null) this.link.drop(sending.on);
    throw new LeaseStoreError(
      'unavailable',
      `Redis sent no answer to this ${script.name} request: ${JSON.stringify(outcome.reply)}.`,
    );
  }

  private async call(
    connection: Redis,
    command: 'evalsha' | 'eval',
    script: string,
    args: readonly (string | number)[],
    { timeoutMs, minReplicaAcks = 0 }: RunOptions,
  ): Promise<Outcome> {
    const answered = (): unknown => this.answeredAt.set(connection, performance.now());
    if (minReplicaAcks === 0) {
      const answer = connection[command](script, 2, ...args);
      return { reply: await answer.finally(answered), acks: Infinity };
    }
    const waitMs = waitWithin(timeoutMs);
    // Sent as one, so that nothing else comes between: WAIT speaks of what this connection wrote.
    const pipeline = connection.pipeline();
    const results = await pipeline[command](script, 2, ...args)
      .wait(minReplicaAcks, waitMs)
      .exec()
      .finally(answered);
    const [[error, reply] = [], [waitError, acks] = []] = results ?? [];
    if (error instanceof Error) throw error;
    if (waitError instanceof Error) throw waitError;
    return { reply, acks: Number(acks) };
  }

  /** A socket that has answered nothing since this request was made is dropped (rule 24). */
  private within<T>(timeoutMs: number, run: (sending: Sending) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const startedAt = performance.now();
      let late = false;
      let settled = false;
      const sending: Sending = { on: null, isLate: () => late };
      const expire = () => {
        if (settled) return;
        late = true;
        reject(new LeaseStoreError('unreachable', `Redis did not answer within ${timeoutMs} ms.`));
        const { on } = sending;
        if (on !== null && (this.answeredAt.get(on) ?? 0) < startedAt) this.link.drop(on);
      };
      // After a blocked loop timers come before the answers that have arrived meanwhile: those are read first.
      const timer = setTimeout(() => setImmediate(expire), timeoutMs);
      const settle = () => {
        settled = true;
        clearTimeout(timer);
      };
      run(sending).then(
        (value) => {
          settle();
          resolve(value);
        },
        (error: unknown) => {
          settle();
          reject(toStoreError(error));
        },
      );
    });
  }
}

function waitWithin(timeoutMs: number): number {
  const inTimeMs = timeoutMs * WAIT_PART_OF_TIMEOUT - WAIT_TICK_MS;
  // Never 0, which is without end to WAIT.
  return Math.ceil(Math.max(inTimeMs, timeoutMs * LEAST_WAIT_PART_OF_TIMEOUT));
}

function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.includes('NOSCRIPT');
}

/** Compared so that anything which is no number counts as too few. */
function assertReplicated(acks: number, { minReplicaAcks = 0 }: RunOptions): void {
  if (acks >= minReplicaAcks) return;
  throw new LeaseStoreError(
    'unavailable',
    `Only ${acks} of the ${minReplicaAcks} replicas that \`minReplicaAcks\` asks for have confirmed the lease in time: ` +
      'look at the replicas of this Redis, or lower `minReplicaAcks`.',
  );
}

/** What follows the tag; null where it is another request's answer or none at all, which is never read as a yes. */
function answerTo(tag: string, reply: unknown): readonly string[] | null {
  if (Array.isArray(reply) && reply.every((item) => typeof item === 'string') && reply[0] === tag) {
    return reply.slice(1);
  }
  return null;
}
