/** Processes that host candidates, as the measures see them. */
import { LoadProcess } from '../load/load-process.js';
import type { HostingApi } from './hosting.js';

export type CandidateHost = LoadProcess<HostingApi>;

const WORKER = new URL('hosting.worker.js', import.meta.url);

/** Starts so many, and gives them to `use`; ends them after that, whatever came of it. */
export async function withHosts<T>(
  count: number,
  use: (hosts: readonly CandidateHost[]) => Promise<T>,
): Promise<T> {
  const hosts = await Promise.all(
    Array.from({ length: count }, () => LoadProcess.start<HostingApi>(WORKER)),
  );
  try {
    return await use(hosts);
  } finally {
    await Promise.all(hosts.map((host) => host.kill()));
  }
}
