/** Throw-away certificates for TLS tests, made with the openssl program. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
const LOOPBACK = 'subjectAltName=IP:127.0.0.1,DNS:localhost';

/** A certificate with its key, and the authority that vouches for it, each as the path of a file. */
export interface TlsIdentity {
  readonly certFile: string;
  readonly keyFile: string;
  readonly caFile: string;
}

/** An authority that only its own tests know. */
export class CertificateAuthority {
  private issued = 0;

  private constructor(
    private readonly directory: string,
    /** What a client trusts: `tls: { ca }`. */
    readonly ca: string,
  ) {}

  static async create(): Promise<CertificateAuthority> {
    const directory = await mkdtemp(join(tmpdir(), 'leader-election-ca-'));
    const [key, cert] = [join(directory, 'ca.key'), join(directory, 'ca.crt')];
    await openssl(
      ['req', '-x509', '-days', '2', '-subj', '/CN=Test CA', '-keyout', key, '-out', cert],
      NEW_KEY,
    );
    return new CertificateAuthority(directory, await readFile(cert, 'utf8'));
  }

  /** For servers and clients on 127.0.0.1. */
  async issue(): Promise<TlsIdentity> {
    this.issued += 1;
    const base = join(this.directory, `issued-${this.issued}`);
    const [request, extensions] = [`${base}.csr`, `${base}.ext`];
    const [keyFile, certFile] = [`${base}.key`, `${base}.crt`];
    const caFile = join(this.directory, 'ca.crt');
    await openssl(['req', '-subj', '/CN=localhost', '-keyout', keyFile, '-out', request], NEW_KEY);
    await writeFile(extensions, LOOPBACK);
    await openssl(
      ['x509', '-req', '-days', '2', '-in', request, '-out', certFile, '-extfile', extensions],
      ['-CA', caFile, '-CAkey', join(this.directory, 'ca.key')],
      ['-set_serial', String(this.issued)],
    );
    return { certFile, keyFile, caFile };
  }

  async remove(): Promise<void> {
    await rm(this.directory, { recursive: true, force: true });
  }
}

/** What a client presents with `tls`. */
export async function clientCertificate(
  identity: TlsIdentity,
): Promise<{ cert: string; key: string }> {
  const [cert, key] = await Promise.all([
    readFile(identity.certFile, 'utf8'),
    readFile(identity.keyFile, 'utf8'),
  ]);
  return { cert, key };
}

async function openssl(...args: readonly (readonly string[])[]): Promise<void> {
  await run('openssl', args.flat());
}
