/** One Redis that speaks TLS only, and gets other certificates of the same authority. */
import { CertificateAuthority, type TlsIdentity } from '../../support/redis/certificates.js';
import { RedisServer } from '../../support/redis/redis-server.js';
import { TcpProxy } from '../../support/redis/tcp-proxy.js';
import type { FaultKinds } from '../faults/fault.interface.js';
import { serverFaults } from '../faults/server.faults.js';
import type { Route, Topology } from './topology.interface.js';

export class TlsTopology implements Topology {
  readonly recoveryMs = 4000;
  readonly faults: FaultKinds = {
    ...serverFaults({
      target: () => Promise.resolve(this.server),
      losing: () => undefined,
    }),
    'other certificate': async () => {
      const identity = await this.authority.issue();
      await this.server.admin.save();
      await this.server.restartWith(identity);
    },
  };

  private constructor(
    private readonly server: RedisServer,
    private readonly authority: CertificateAuthority,
    private readonly identity: TlsIdentity,
  ) {}

  static async start(): Promise<TlsTopology> {
    const authority = await CertificateAuthority.create();
    const identity = await authority.issue();
    return new TlsTopology(await RedisServer.start({ tls: identity }), authority, identity);
  }

  async openRoute(): Promise<Route> {
    const network = await TcpProxy.start(this.server.port);
    const { caFile } = this.identity;
    return { redis: { kind: 'tls', port: network.port, caFile }, networks: [network] };
  }

  async untilWhole(): Promise<void> {
    await this.server.admin.ping();
  }

  async stop(): Promise<void> {
    await this.server.stop();
    await this.authority.remove();
  }
}
