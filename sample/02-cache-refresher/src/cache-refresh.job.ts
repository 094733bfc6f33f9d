import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { LeaderService, OnlyLeader } from 'nestjs-leader-election';
import { filter } from 'rxjs';

import { CacheService } from './cache.service.js';
import { settings } from './settings.js';

/** Refreshes the cache, on the leader only, whenever it is ten minutes old. */
@Injectable()
export class CacheRefreshJob implements OnApplicationBootstrap {
  private readonly logger = new Logger(CacheRefreshJob.name);

  constructor(
    private readonly leader: LeaderService,
    private readonly cache: CacheService,
  ) {}

  /** A new leader looks at once. */
  onApplicationBootstrap(): void {
    // `leadership$` completes at shutdown, so there is nothing to unsubscribe.
    this.leader.leadership$.pipe(filter(({ isLeader }) => isLeader)).subscribe(() => {
      this.refreshIfOld().catch((error: unknown) => this.logger.error(error));
    });
  }

  /**
   * Every instance has this timer; only on the leader does it do anything. It asks how old the cache is rather than
   * wait for ten minutes: those would begin anew with each process, and a refresh that failed would wait for the next.
   */
  @Interval(settings.readIntervalMs)
  @OnlyLeader()
  async refreshIfOld(): Promise<void> {
    const entry = await this.cache.read();
    const ageMs = entry === null ? Infinity : Date.now() - Date.parse(entry.refreshedAt);
    if (ageMs >= settings.refreshIntervalMs) await this.refresh();
  }

  private async refresh(): Promise<void> {
    // Pinned to the leadership this run began under: whatever happens meanwhile, the epoch does not change.
    const { epoch, nodeId: node } = this.leader.current();
    const refreshedAt = new Date().toISOString();
    // Here a real application would work for a while to get the new content of the cache.
    if (await this.cache.write({ epoch, node, refreshedAt })) {
      this.logger.log(`Refreshed the cache, epoch ${epoch}.`);
    } else {
      this.logger.warn(`Refused: a later leader than epoch ${epoch} has refreshed the cache.`);
    }
  }
}
