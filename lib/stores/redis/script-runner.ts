import type { Redis } from 'ioredis';
import { LeaseStoreError } from '../../election/election.errors.js';
import type { ElectionKeys } from './redis-keys.js';
import type { RedisLink } from './redis-link.js';
import { isReplicated, notReplicated, waitWithin } from './replica-acks.js';
import { ScriptCall } from './script-call.js';
import type { RedisScript } from './scripts/script.js';

export interface RunOptions {
  readonly timeoutMs: number;
  /** How many replicas must have what a yes has written, or the run rejects (rule 17). @default 0 */
  readonly minReplicaAcks?: number;
}

/** A script of so many requests holds up the server for a few milliseconds. */
const LARGEST_BATCH = 50;

/** The last try of a lease has less time than that, and its timeout says little of the connection that all share. */
const LEAST_SILENCE_MS = 50;

interface Outcome {
  readonly replies: unknown;
  /** How many replicas have it; Infinity where nobody asked. */
  readonly acks: number;
}

/**
 * Runs scripts over one link: by hash, each call with a timeout of its own, and each reply checked to be the answer to
 * this very call. The calls of one turn of the event loop go together: for thousands of elections on one connection
 * that is most of what they cost.
 */
export class ScriptRunner {
  private lastTag = 0;
  /** The connections that have not answered what was sent last, and since when. */
  private readonly silentSince = new WeakMap<Redis, number>();
  private readonly waiting = new Map<RedisScript, ScriptCall[]>();

  constructor(private readonly link: RedisLink) {}

  /** The reply without its tag. Rejects with a `LeaseStoreError`. */
  run(
    script: RedisScript,
    keys: ElectionKeys,
    args: readonly (string | number)[],
    { timeoutMs, minReplicaAcks = 0 }: RunOptions,
  ): Promise<readonly string[]> {
    const tag = String(++this.lastTag);
    const call = new ScriptCall(keys, tag, args, timeoutMs, minReplicaAcks, (late) =>
      this.dropSilent(late),
    );
    // In a Cluster they are on different servers, and WAIT is for one of them.
    if (minReplicaAcks > 0 || this.link.hasSeveralServers) void this.send(script, [call]);
    else this.gather(script, call);
    return call.reply;
  }

  private gather(script: RedisScript, call: ScriptCall): void {
    const gathered = this.waiting.get(script);
    if (gathered !== undefined && gathered.length < LARGEST_BATCH) {
      gathered.push(call);
      return;
    }
    const batch = [call];
    this.waiting.set(script, batch);
    setImmediate(() => {
      if (this.waiting.get(script) === batch) this.waiting.delete(script);
      void this.send(script, batch);
    });
  }

  /** Never rejects: whatever fails is told to the calls. */
  private async send(script: RedisScript, batch: readonly ScriptCall[]): Promise<void> {
    const [first] = batch;
    if (first === undefined) return;
    let sent: readonly ScriptCall[] = [];
    const run = (command: 'evalsha' | 'eval', text: string): Promise<Outcome> =>
      this.link.send(
        first.keys.lease,
        (connection) => {
          sent = batch.filter(({ isOver }) => !isOver);
          return this.call(connection, command, text, sent, first);
        },
        () => batch.every(({ isOver }) => isOver),
      );
    try {
      // With acknowledgements a NOSCRIPT would cost a WAIT before it is known.
      const byHash = first.minReplicaAcks === 0;
      const outcome = await (
        byHash ? run('evalsha', script.sha) : run('eval', script.source)
      ).catch((error: unknown) => {
        if (!isUnknownScript(error)) throw error;
        return run('eval', script.source);
      });
      this.tell(script, sent, outcome);
    } catch (error) {
      for (const call of batch) call.fail(error);
    }
  }

  private async call(
    connection: Redis,
    command: 'evalsha' | 'eval',
    script: string,
    calls: readonly ScriptCall[],
    { minReplicaAcks, timeoutMs }: ScriptCall,
  ): Promise<Outcome> {
    const keys = calls.flatMap(({ keys }) => [keys.lease, keys.record]);
    const args = calls.flatMap(({ tag, args }) => [tag, ...args]);
    const sent = { on: connection, at: performance.now() };
    for (const call of calls) call.sent = sent;
    if (!this.silentSince.has(connection)) this.silentSince.set(connection, sent.at);
    const answered = (): unknown => this.silentSince.delete(connection);
    if (minReplicaAcks === 0) {
      const answer = connection[command](script, keys.length, ...keys, ...args);
      return { replies: await answer.finally(answered), acks: Infinity };
    }
    // Sent as one, so that nothing else comes between: WAIT speaks of what this connection wrote.
    const pipeline = connection.pipeline();
    const results = await pipeline[command](script, keys.length, ...keys, ...args)
      .wait(minReplicaAcks, waitWithin(timeoutMs))
      .exec()
      .finally(answered);
    const [[error, replies] = [], [waitError, acks] = []] = results ?? [];
    if (error instanceof Error) throw error;
    if (waitError instanceof Error) throw waitError;
    return { replies, acks: Number(acks) };
  }

  private tell(
    script: RedisScript,
    calls: readonly ScriptCall[],
    { replies, acks }: Outcome,
  ): void {
    calls.forEach((call, index) => {
      const reply: unknown = Array.isArray(replies) ? replies[index] : replies;
      const answer = answerTo(call.tag, reply);
      if (reply instanceof Error) {
        if (isReadOnly(reply) && call.sent !== null) this.link.leave(call.sent.on);
        call.fail(reply);
      } else if (answer === null) {
        // One reply is missing or too many, and so every later one here would answer another request, too.
        if (call.sent !== null) this.link.drop(call.sent.on);
        call.fail(
          new LeaseStoreError(
            'unavailable',
            `Redis sent no answer to this ${script.name} request: ${JSON.stringify(reply)}.`,
          ),
        );
      } else if (answer[0] === script.yes && !isReplicated(acks, call.minReplicaAcks)) {
        call.fail(notReplicated(acks, call.minReplicaAcks));
      } else {
        call.answer(answer);
      }
    });
  }

  /** A socket that has answered nothing since this call was sent is dropped (rule 24). */
  private dropSilent({ sent }: ScriptCall): void {
    if (sent === null) return;
    const since = this.silentSince.get(sent.on) ?? Infinity;
    const silentMs = performance.now() - since;
    if (since <= sent.at && silentMs >= LEAST_SILENCE_MS) this.link.drop(sent.on);
  }
}

function isReadOnly(error: Error): boolean {
  // Redis 6.2 has other words in front of it.
  return error.message.includes('READONLY');
}

function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.includes('NOSCRIPT');
}

/** What follows the tag; null where it is another request's answer or none at all, which is never read as a yes. */
function answerTo(tag: string, reply: unknown): readonly string[] | null {
  if (Array.isArray(reply) && reply.every((item) => typeof item === 'string') && reply[0] === tag) {
    return reply.slice(1);
  }
  return null;
}
