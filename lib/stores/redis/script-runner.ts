import { LeaseStoreError } from '../../election/election.errors.js';
import { toStoreError } from './redis-errors.js';
import type { ElectionKeys } from './redis-keys.js';
import type { RedisLink } from './redis-link.js';
import type { RedisScript } from './scripts/script.js';

/**
 * Runs scripts over one link: by hash, each with a timeout of its own, and each reply checked to be the answer to
 * this very request.
 */
export class ScriptRunner {
  private lastTag = 0;
  private lastAnswerAt = 0;

  constructor(private readonly link: RedisLink) {}

  /** The reply without its tag. Rejects with a `LeaseStoreError`. */
  run(
    script: RedisScript,
    keys: ElectionKeys,
    args: readonly (string | number)[],
    timeoutMs: number,
  ): Promise<readonly string[]> {
    return this.within(timeoutMs, (isLate) => this.send(script, keys, args, isLate));
  }

  private async send(
    script: RedisScript,
    keys: ElectionKeys,
    args: readonly (string | number)[],
    isLate: () => boolean,
  ): Promise<readonly string[]> {
    await this.link.usable();
    // Given up while it waited for the connection: a stale command must not run later (rule 24).
    if (isLate()) throw new LeaseStoreError('unreachable', 'Not connected in time.');
    const tag = String(++this.lastTag);
    const { client } = this.link;
    const all = [keys.lease, keys.record, tag, ...args];
    let reply: unknown;
    try {
      reply = await client.evalsha(script.sha, 2, ...all);
    } catch (error) {
      this.lastAnswerAt = performance.now();
      if (!isUnknownScript(error) || isLate()) throw error;
      reply = await client.eval(script.source, 2, ...all);
    }
    this.lastAnswerAt = performance.now();
    const answer = answerTo(tag, reply);
    if (answer !== null) return answer;
    // One reply is missing or too many, and so every later one here would answer another request, too.
    this.link.reset();
    throw new LeaseStoreError(
      'unavailable',
      `Redis sent no answer to this ${script.name} request: ${JSON.stringify(reply)}.`,
    );
  }

  /** A socket that has answered nothing since this request was made is dropped (rule 24). */
  private within<T>(timeoutMs: number, run: (isLate: () => boolean) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const startedAt = performance.now();
      let late = false;
      let settled = false;
      const expire = () => {
        if (settled) return;
        late = true;
        reject(new LeaseStoreError('unreachable', `Redis did not answer within ${timeoutMs} ms.`));
        if (this.lastAnswerAt < startedAt) this.link.reset();
      };
      // After a blocked loop timers come before the answers that have arrived meanwhile: those are read first.
      const timer = setTimeout(() => setImmediate(expire), timeoutMs);
      const settle = () => {
        settled = true;
        clearTimeout(timer);
      };
      run(() => late).then(
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
