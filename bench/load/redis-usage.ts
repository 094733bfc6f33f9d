/** What a Redis has spent so far, by its own account. */
import type { RedisServer } from '../../test/support/redis/redis-server.js';

export interface RedisUsage {
  readonly cpuMs: number;
  readonly inputBytes: number;
  readonly outputBytes: number;
}

export async function redisUsage({ admin }: RedisServer): Promise<RedisUsage> {
  // In one write, so that one read of the server answers both.
  const [stats, cpu] = await Promise.all([admin.info('stats'), admin.info('cpu')]);
  return {
    cpuMs: 1000 * (field(cpu, 'used_cpu_user') + field(cpu, 'used_cpu_sys')),
    inputBytes: field(stats, 'total_net_input_bytes'),
    outputBytes: field(stats, 'total_net_output_bytes'),
  };
}

function field(text: string, name: string): number {
  return Number(new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(text)?.[1]);
}
