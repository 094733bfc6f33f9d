import type { LeaseWatcher } from '../../election/lease-store.interface.js';
import { HANDSHAKE_TIMEOUT_MS, type RedisClient } from './redis-client.js';
import { RedisLink } from './redis-link.js';

/**
 * Hears of released leases (rule 19) on a connection of its own, since a subscribed one runs no commands. It only
 * makes followers faster: whatever is lost here, they probe when the lease ends (rule 18).
 */
export class ReleaseSubscriber {
  private readonly link: RedisLink;
  private readonly watchers = new Map<string, readonly LeaseWatcher[]>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly client: RedisClient) {
    this.link = new RedisLink(client, { ready: () => this.subscribe([...this.watchers.keys()]) });
    client.on('message', (channel: string) => {
      for (const watcher of this.watchers.get(channel) ?? []) watcher.freed();
    });
  }

  watch(channel: string, watcher: LeaseWatcher): void {
    const known = this.watchers.get(channel);
    this.watchers.set(channel, [...(known ?? []), watcher]);
    this.link.open();
    if (known === undefined && this.link.isReady) this.subscribe([channel]);
  }

  unwatch(channel: string, watcher: LeaseWatcher): void {
    const others = this.watchers.get(channel)?.filter((other) => other !== watcher);
    this.watchers.set(channel, others ?? []);
  }

  close(): Promise<void> {
    clearTimeout(this.timer);
    return this.link.close();
  }

  private subscribe(channels: readonly string[]): void {
    if (channels.length === 0) return;
    // A Cluster client subscribes at any one node, which may be a silent one.
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.link.reset(), HANDSHAKE_TIMEOUT_MS);
    // Without the permission followers still probe when the lease ends; a lost connection subscribes again.
    this.client.subscribe(...channels).then(
      () => {
        clearTimeout(this.timer);
        this.tellAll(channels);
      },
      () => clearTimeout(this.timer),
    );
  }

  /** A release may have been missed while nobody listened. */
  private tellAll(channels: readonly string[]): void {
    for (const channel of channels) {
      for (const watcher of this.watchers.get(channel) ?? []) watcher.freed();
    }
  }
}
