import type {
  AcquireReply,
  AcquireRequest,
  InspectRequest,
  LeaseSight,
  LeaseWatcher,
  ReleaseRequest,
  RenewReply,
  RenewRequest,
} from '../../election/lease-store.interface.js';
import type { QuorumMember, RaiseEpochRequest } from '../quorum/quorum-member.interface.js';
import { AckLanes } from './ack-lanes.js';
import { keyPrefixOf, openClient, type RedisClient, type RedisSource } from './redis-client.js';
import { DEFAULT_KEY_PREFIX, electionKeys, type ElectionKeys } from './redis-keys.js';
import { RedisLink } from './redis-link.js';
import { ReleaseSubscriber } from './release-subscriber.js';
import { isCause, NOTICES, toNumber, toSight, unexpected } from './script-replies.js';
import { ScriptRunner } from './script-runner.js';
import { checkServers } from './server-check.js';
import { ACQUIRE } from './scripts/acquire.script.js';
import { INSPECT } from './scripts/inspect.script.js';
import { RAISE_EPOCH } from './scripts/raise-epoch.script.js';
import { RELEASE } from './scripts/release.script.js';
import { RENEW } from './scripts/renew.script.js';

export interface RedisLeaseStoreOptions {
  readonly redis: RedisSource;
  /** What every key begins with. @default 'leader-election' */
  readonly keyPrefix?: string | undefined;
}

type Replicated = Pick<RenewRequest, 'election' | 'minReplicaAcks'>;

/**
 * Keeps leases in one Redis 6.2 or newer, or Valkey. `redis-cli GET leader-election:{name}:lease` shows who leads
 * and with which epoch, `redis-cli HGETALL leader-election:{name}:record` since when, and what it advertises.
 *
 * Connects on first use, with two connections of its own: one for commands, one for wake-ups; and one more for each
 * election with `minReplicaAcks`.
 *
 * @publicApi
 */
export class RedisLeaseStore implements QuorumMember {
  private readonly keyPrefix: string;
  private readonly clientPrefix: string;
  private readonly link: RedisLink;
  private readonly scripts: ScriptRunner;
  private readonly ackLanes: AckLanes;
  private readonly subscriber: ReleaseSubscriber;
  private readonly watchers = new Set<LeaseWatcher>();
  /** What is wrong with the server, in words. */
  private readonly warnings = new Set<string>();

  constructor(options: RedisLeaseStoreOptions) {
    this.keyPrefix = options.keyPrefix ?? DEFAULT_KEY_PREFIX;
    const client = openClient(options.redis);
    this.clientPrefix = keyPrefixOf(client);
    this.link = new RedisLink(client, {
      ready: () => void this.checkServers(client),
      recovered: () => this.tellReconnected(),
    });
    this.scripts = new ScriptRunner(this.link);
    this.ackLanes = new AckLanes(
      () => openClient(options.redis),
      () => this.tellReconnected(),
    );
    this.subscriber = new ReleaseSubscriber(openClient(options.redis));
  }

  async acquire(request: AcquireRequest): Promise<AcquireReply> {
    try {
      return await this.tryAcquire(request);
    } catch (error) {
      // Perhaps granted, and not acknowledged: a lease that nobody leads with must not look like a leader's.
      if (request.minReplicaAcks > 0) this.giveBack(request);
      throw error;
    }
  }

  async renew(request: RenewRequest): Promise<RenewReply> {
    const { by } = request;
    const [outcome, seenEpoch] = await this.runnerFor(request).run(
      RENEW,
      this.keys(request.election),
      [
        by.holder,
        request.attempt,
        request.ttlMs,
        request.epoch,
        by.nodeId,
        JSON.stringify(by.metadata),
      ],
      request,
    );
    if (outcome === 'renewed') return { renewed: true };
    if (outcome !== 'taken' && outcome !== 'gone') throw unexpected(RENEW.name, outcome);
    return { renewed: false, because: outcome, seenEpoch: toNumber(seenEpoch) };
  }

  async release(request: ReleaseRequest): Promise<boolean> {
    const [outcome] = await this.scripts.run(
      RELEASE,
      this.keys(request.election),
      [request.by.holder, request.epoch, request.attempt],
      request,
    );
    if (outcome !== 'released' && outcome !== 'not-yours') throw unexpected(RELEASE.name, outcome);
    return outcome === 'released';
  }

  /** For a quorum of several servers. */
  async raiseEpoch(request: RaiseEpochRequest): Promise<boolean> {
    const [outcome] = await this.runnerFor(request).run(
      RAISE_EPOCH,
      this.keys(request.election),
      [request.by.holder, request.attempt, request.epoch],
      request,
    );
    if (outcome !== 'raised' && outcome !== 'not-yours')
      throw unexpected(RAISE_EPOCH.name, outcome);
    return outcome === 'raised';
  }

  async inspect(request: InspectRequest): Promise<LeaseSight> {
    const [outcome, ...seen] = await this.scripts.run(
      INSPECT,
      this.keys(request.election),
      [],
      request,
    );
    if (outcome !== 'seen') throw unexpected(INSPECT.name, outcome);
    const sight = toSight(seen);
    if (sight.waitMs >= 0) return sight;
    const notice = NOTICES['endless-lease'] ?? '';
    return { ...sight, waitMs: Infinity, notice };
  }

  watch(election: string, watcher: LeaseWatcher): () => void {
    this.watchers.add(watcher);
    for (const warning of this.warnings) watcher.noticed?.(warning);
    this.link.open();
    this.subscriber.watch(this.channel(election), watcher);
    return () => {
      this.watchers.delete(watcher);
      this.subscriber.unwatch(this.channel(election), watcher);
    };
  }

  async close(): Promise<void> {
    await Promise.all([this.link.close(), this.ackLanes.close(), this.subscriber.close()]);
  }

  private async tryAcquire(request: AcquireRequest): Promise<AcquireReply> {
    const { by } = request;
    const [outcome, noticeCode = '', ...rest] = await this.runnerFor(request).run(
      ACQUIRE,
      this.keys(request.election),
      [
        by.holder,
        request.attempt,
        request.ttlMs,
        request.floor,
        request.holdOff,
        by.nodeId,
        JSON.stringify(by.metadata),
        request.longestTtlMs,
      ],
      request,
    );
    const text = NOTICES[noticeCode];
    const notice = text === undefined ? {} : { notice: text };
    if (outcome === 'granted') return { granted: true, epoch: toNumber(rest[0]), ...notice };
    const [because, ...seen] = rest;
    if (outcome !== 'refused' || !isCause(because)) throw unexpected(ACQUIRE.name, outcome);
    return { granted: false, because, ...toSight(seen), ...notice };
  }

  /** Where it fails, the lease runs out. */
  private giveBack({ election, by, attempt, timeoutMs }: AcquireRequest): void {
    this.release({ election, by, attempt, epoch: 0, timeoutMs }).catch(() => undefined);
  }

  private runnerFor({ election, minReplicaAcks }: Replicated): ScriptRunner {
    return minReplicaAcks > 0 ? this.ackLanes.of(election) : this.scripts;
  }

  private channel(election: string): string {
    return `${this.clientPrefix}${this.keys(election).lease}`;
  }

  private keys(election: string): ElectionKeys {
    return electionKeys(this.keyPrefix, election);
  }

  /** At each connection, since a failover may have brought another server; each warning is told once. Never rejects. */
  private async checkServers(client: RedisClient): Promise<void> {
    for (const warning of await checkServers(client)) {
      if (this.warnings.has(warning)) continue;
      this.warnings.add(warning);
      for (const watcher of this.watchers) watcher.noticed?.(warning);
    }
  }

  private tellReconnected(): void {
    for (const watcher of this.watchers) watcher.reconnected();
  }
}
