/** A server that was restarted answers at once, and serves only when it has read its data. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { scriptReply, bulkString, FakeRedis } from '../support/redis/fake-redis.js';
import { useElectorates } from '../support/redis/electorate.js';

const newElectorate = useElectorates();

const LOADING = '-LOADING Redis is loading the dataset in memory\r\n';
const SERVES = bulkString('role:master\r\nloading:0\r\n');
const LOADS = bulkString('role:master\r\nloading:1\r\nloading_eta_seconds:2678400\r\n');
/** Well over the longest pause between two tries on a lease of 1.5 s, and two questions to a loading server. */
const PROMPTLY_MS = 2_000;
/** Two connections, each of which asks every 250 ms. */
const QUESTIONS_PER_SECOND = 8;

describe('A server that loads its data', () => {
  let redis: FakeRedis;
  let readyAt: number;
  let questions: number;
  afterEach(() => redis.close());

  const isLoading = (): boolean => performance.now() < readyAt;

  /** Grants whatever is asked for, once it has loaded. */
  async function start(loadsForMs: number, scripts: string, info: string): Promise<void> {
    readyAt = performance.now() + loadsForMs;
    questions = 0;
    let granted = false;
    const answer = ([, , , , , tag = '', ...rest]: readonly string[]): string => {
      if (isLoading()) return scripts;
      if (rest.length === 0) return scriptReply(tag, 'seen', '0', '0', '0', '', '0', '', '');
      const reply = granted ? ['renewed'] : ['granted', '', '1'];
      granted = true;
      return scriptReply(tag, ...reply);
    };
    const answerInfo = (): string => {
      questions += 1;
      return isLoading() ? info : SERVES;
    };
    redis = await FakeRedis.start(answer, { info: answerInfo });
  }

  it.each([
    ['refuses all but INFO', 1_000, LOADING, SERVES],
    ['refuses everything', 1_000, LOADING, LOADING],
    // Longer than the link waits twice for a silent server.
    ['expects to need a month', 4_500, LOADING, LOADS],
  ])(
    'F-10: has no leader while it %s, and one soon after',
    async (_, loadsForMs, scripts, info) => {
      await start(loadsForMs, scripts, info);
      const electorate = newElectorate('jobs');
      const { events } = electorate.join('a', redis.url);
      await events.first('storeFailed');
      await electorate.untilLed();
      const lateMs = performance.now() - readyAt;
      expect(lateMs).toBeGreaterThan(0);
      expect(lateMs).toBeLessThan(PROMPTLY_MS);
      if (info === LOADS) {
        const seconds = Math.ceil((loadsForMs + lateMs) / 1_000);
        expect(questions).toBeLessThanOrEqual(seconds * QUESTIONS_PER_SECOND);
        const failures = events.all('storeFailed').map(({ error }) => String(error));
        expect(failures.join()).toMatch(/LOADING.*restarted/);
      }
      expect(await electorate.close()).toEqual([]);
    },
  );
});
