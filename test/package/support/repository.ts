import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../../..');

export interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { optional?: boolean }>>;
}

export async function manifest(): Promise<Manifest> {
  return JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as Manifest;
}

/** Name and range of each peer that is not optional. */
export async function peerDependencies(): Promise<Record<string, string>> {
  const { peerDependencies: peers, peerDependenciesMeta: meta = {} } = await manifest();
  return Object.fromEntries(
    Object.entries(peers).filter(([name]) => meta[name]?.optional !== true),
  );
}
