/** What the environment says. Read at import, since `@Interval()` wants its period when the class is defined. */
export const settings = {
  port: number('PORT', 3000),
  redisUrl: process.env.REDIS_URL ?? 'redis://localhost:6379',
  /** Shown in logs and in `/status`; left out, the election makes one up from host and process id. */
  nodeId: process.env.NODE_ID,
  refreshIntervalMs: number('REFRESH_INTERVAL_MS', 10 * 60_000),
  readIntervalMs: number('READ_INTERVAL_MS', 5_000),
  leaseTtlMs: number('LEASE_TTL_MS', 10_000),
  /** How long a shutdown waits for a refresh that runs; `stop_grace_period` in compose.yaml is longer. */
  drainTimeoutMs: number('DRAIN_TIMEOUT_MS', 10_000),
};

function number(name: string, fallback: number): number {
  const text = process.env[name];
  const value = text === undefined || text === '' ? fallback : Number(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new RangeError(`${name}: expected a whole number above 0, got "${text}".`);
}
