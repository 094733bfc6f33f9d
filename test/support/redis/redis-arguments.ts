/** How a test's Redis is configured: the arguments of its program. */
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RedisOptions } from 'ioredis';
import type { TlsIdentity } from './certificates.js';

/** What a server presents, and whether it asks clients for a certificate of the same authority. */
export interface ServerTls extends TlsIdentity {
  readonly requireClientCertificate?: boolean;
}

export interface ServerSetup {
  readonly port: number;
  readonly busPort: number;
  readonly directory: string;
  readonly settings?: Readonly<Record<string, string>>;
  readonly tls?: ServerTls | undefined;
  readonly cluster?: boolean;
  readonly sentinel?: readonly string[];
}

export async function argumentsOf(setup: ServerSetup): Promise<string[]> {
  const { port, busPort, directory, settings, tls, cluster, sentinel } = setup;
  const all = {
    port: String(port),
    bind: '127.0.0.1',
    dir: directory,
    ...(sentinel ? {} : DATA_SETTINGS),
    ...(cluster ? clusterSettings(busPort) : {}),
    ...(tls ? tlsSettings(port, tls) : {}),
    ...settings,
  };
  const args = Object.entries(all).flatMap(([name, value]) => [`--${name}`, value]);
  if (!sentinel) return args;
  const file = join(directory, 'sentinel.conf');
  // A Sentinel writes down there what it learns. Begun anew, it would watch the first primary, which may be a replica
  // by now, and know of no other server.
  if (!existsSync(file)) await writeFile(file, sentinel.join('\n'));
  return [file, ...args, '--sentinel'];
}

const DATA_SETTINGS = {
  save: '',
  appendonly: 'no',
  // A replica would wait five seconds for others that might want the same data.
  'repl-diskless-sync-delay': '0',
};

function clusterSettings(busPort: number): Record<string, string> {
  return {
    'cluster-enabled': 'yes',
    'cluster-port': String(busPort),
    'cluster-announce-ip': '127.0.0.1',
  };
}

function tlsSettings(port: number, tls: ServerTls): Record<string, string> {
  return {
    port: '0',
    'tls-port': String(port),
    'tls-cert-file': tls.certFile,
    'tls-key-file': tls.keyFile,
    'tls-ca-cert-file': tls.caFile,
    'tls-auth-clients': tls.requireClientCertificate ? 'yes' : 'no',
    'tls-replication': 'yes',
    'tls-cluster': 'yes',
  };
}

/** A test looks at its own server, whatever certificate that has. */
export function adminTls(tls: ServerTls | undefined): Pick<RedisOptions, 'tls'> {
  if (!tls) return {};
  const [cert, key] = [readFileSync(tls.certFile), readFileSync(tls.keyFile)];
  return { tls: { rejectUnauthorized: false, cert, key } };
}
