import { Command, type Cluster, type Redis } from 'ioredis';
import { LeaseStoreError } from '../../election/election.errors.js';
import { HandshakeLimit } from './handshake-limit.js';
import { keyPrefixOf } from './redis-client.js';
import { stillLoading } from './redis-errors.js';
import type { Redirection, Route } from './redis-route.js';

/** Where a node of a Cluster sends whoever asks it for a key that it does not have. */
const REDIRECTION = /^(MOVED|ASK) (\d+) (\S+):(\d+)$/;

/**
 * Finds the connection of a Cluster client that serves a key. The client itself is used for what it knows of the
 * Cluster, and sends no scripts: it queues commands for a node that is not connected, and a queued one may run after
 * it was given up (rule 24); and all it can do about one silent node is to drop every connection.
 */
export class ClusterRoute implements Route {
  /** Connections that have been waited for, each with its outcome. */
  private readonly outcomes = new WeakMap<Redis, Promise<Redis>>();
  /** Their sockets may be open for a moment longer. */
  private readonly dropped = new WeakSet<Redis>();
  private hadLoss = false;

  constructor(
    private readonly client: Cluster,
    private readonly on: { failed(error: unknown): void; recovered(): void },
  ) {
    client.on('+node', (node: Redis) => this.overhear(node));
    client.on('node error', (error: unknown) => on.failed(error));
  }

  async connectionFor(key: string): Promise<Redis> {
    const slot = new Command('exists', [key], { keyPrefix: keyPrefixOf(this.client) }).getSlot();
    if (this.serving(slot) === undefined) await this.refresh();
    const node = this.serving(slot);
    if (node !== undefined) return this.whenReady(node);
    if (this.client.slots[slot] !== undefined) {
      throw new LeaseStoreError('unreachable', `No connection to the node of slot ${slot}.`);
    }
    throw new LeaseStoreError(
      'unavailable',
      `No node of the Cluster serves slot ${slot}: look at its nodes.`,
    );
  }

  async redirected(error: unknown): Promise<Redirection | null> {
    const [, kind, , host, port] = REDIRECTION.exec(messageOf(error)) ?? [];
    if (host === undefined) return null;
    const asking = kind === 'ASK';
    const address = this.mapped(`${host}:${port}`);
    // What it knows of the slots is outdated, unless the slot is only on its way.
    if (!asking) this.client.refreshSlotsCache();
    if (this.nodeAt(address) === undefined) await this.refresh();
    const node = this.nodeAt(address);
    if (node !== undefined) return { connection: await this.whenReady(node), asking };
    throw new LeaseStoreError(
      'unavailable',
      `${messageOf(error)}: the Cluster moves the slot of this election to a node that is not known yet.`,
    );
  }

  drop(node: Redis): void {
    if (node.status !== 'ready' || this.dropped.has(node)) return;
    this.dropped.add(node);
    node.disconnect();
  }

  private serving(slot: number): Redis | undefined {
    const [address] = this.client.slots[slot] ?? [];
    return address === undefined ? undefined : this.nodeAt(address);
  }

  private nodeAt(address: string): Redis | undefined {
    return this.client
      .nodes()
      .find(
        (node) =>
          `${node.options.host}:${node.options.port}` === address &&
          !this.dropped.has(node) &&
          !isOver(node.status),
      );
  }

  private mapped(address: string): string {
    const { natMap } = this.client.options;
    const found = typeof natMap === 'function' ? natMap(address) : natMap?.[address];
    return found ? `${found.host}:${found.port}` : address;
  }

  /** Asks the Cluster who serves what; also connects anew to nodes that were lost. Never rejects. */
  private refresh(): Promise<void> {
    return new Promise((resolve) => {
      this.client.refreshSlotsCache(() => resolve());
    });
  }

  private whenReady(node: Redis): Promise<Redis> {
    const known = this.outcomes.get(node);
    // Still not ready: it is slow or silent, and a replica may have taken over from it meanwhile.
    if (known !== undefined && isUnderWay(node.status)) this.client.refreshSlotsCache();
    const outcome = known ?? this.follow(node);
    this.outcomes.set(node, outcome);
    return outcome;
  }

  /** Sees to it that a connection becomes ready or ends: one that says nothing in its handshake ends. */
  private follow(node: Redis): Promise<Redis> {
    return new Promise((resolve, reject) => {
      let reason: unknown = new Error('The connection to a Cluster node was closed.');
      const handshake = new HandshakeLimit(node, {
        silent: () => node.disconnect(),
        loading: () => this.on.failed(stillLoading()),
      });
      const ready = (): void => {
        handshake.stop();
        resolve(node);
        if (this.hadLoss) this.on.recovered();
        this.hadLoss = false;
      };
      node.on('error', (error: unknown) => (reason = error));
      node.once('connect', () => handshake.start());
      node.once('ready', ready);
      node.once('end', () => {
        handshake.stop();
        this.hadLoss = true;
        // The next request for its slot must not get this outcome again.
        this.outcomes.delete(node);
        reject(reason);
      });
      if (node.status === 'ready') ready();
      else if (node.status === 'connect') handshake.start();
      // What fails here ends the connection, and comes as an 'error' event.
      else if (node.status === 'wait') node.connect().catch(() => undefined);
    });
  }

  /** ioredis asks for the slots on copies of its nodes, and keeps to itself why one of those cannot connect. */
  private overhear(node: Redis): void {
    const duplicate = node.duplicate.bind(node);
    node.duplicate = (override) => {
      const copy = duplicate(override);
      copy.on('error', (error: unknown) => this.on.failed(error));
      return copy;
    };
  }
}

function isUnderWay(status: string): boolean {
  return status === 'connecting' || status === 'connect';
}

function isOver(status: string): boolean {
  return status === 'close' || status === 'end';
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : '';
}
