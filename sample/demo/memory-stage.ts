/** Three applications in this process on the in-memory store, where there is no Redis. */
import type { INestApplicationContext } from '@nestjs/common';

import {
  InMemoryLeaseStore,
  type LeaseStore,
  LeaseStoreError,
  sharedNowMs,
} from '../../lib/index.js';
import { startDemoNode } from './demo-node.js';
import { type Audience, NODES, type Stage } from './stage.interface.js';

interface Member {
  readonly app: INestApplicationContext;
  readonly access: StoreAccess;
}

export class MemoryStage implements Stage {
  readonly intro = [
    'three applications in one process on the InMemoryLeaseStore',
    'REDIS_URL is not set and there is no redis-server on the PATH, so this shows less: nothing can be killed here.',
    'Instead the leader is cut off from the store, and stops by its own clock; the next one is closed.',
  ];
  readonly crashing = { label: 'cut off', since: 'after it was cut off' };
  readonly leaving = { label: 'close()', since: 'after close()' };
  private readonly store = new InMemoryLeaseStore();
  private readonly members = new Map<string, Member>();

  async start(audience: Audience): Promise<void> {
    for (const node of NODES) {
      const access = new StoreAccess(this.store);
      const app = await startDemoNode({
        node,
        options: { name: 'demo', store: access },
        onEvent: (event) => audience.event(event),
      });
      this.members.set(node, { app, access });
    }
  }

  crash(node: string): number {
    const at = sharedNowMs();
    this.members.get(node)?.access.cut();
    return at;
  }

  leave(node: string): number {
    const at = sharedNowMs();
    // Never rejects for this application; `close()` waits for all of them.
    void this.members.get(node)?.app.close();
    return at;
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.members.values()].map(({ app }) => app.close()));
  }
}

/** One application's way to the shared store, which can be cut. */
class StoreAccess implements LeaseStore {
  private isCut = false;

  constructor(private readonly store: LeaseStore) {}

  readonly acquire: LeaseStore['acquire'] = (request) =>
    this.ask(() => this.store.acquire(request));
  readonly renew: LeaseStore['renew'] = (request) => this.ask(() => this.store.renew(request));
  readonly release: LeaseStore['release'] = (request) =>
    this.ask(() => this.store.release(request));
  readonly inspect: LeaseStore['inspect'] = (request) =>
    this.ask(() => this.store.inspect(request));
  readonly watch: LeaseStore['watch'] = (election, watcher) => this.store.watch(election, watcher);

  cut(): void {
    this.isCut = true;
  }

  async close(): Promise<void> {
    // The store is shared.
  }

  private ask<T>(call: () => Promise<T>): Promise<T> {
    if (!this.isCut) return call();
    return Promise.reject(new LeaseStoreError('unreachable', 'Cut off, for the demo.'));
  }
}
