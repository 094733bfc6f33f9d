import { Controller, Get } from '@nestjs/common';
import { LeaderService } from 'nestjs-leader-election';

import { CacheService } from './cache.service.js';

@Controller('status')
export class StatusController {
  constructor(
    private readonly leader: LeaderService,
    private readonly cache: CacheService,
  ) {}

  @Get()
  async status() {
    // Before anything else, so that all of it speaks of one moment. While Redis is down the cache is null.
    const { nodeId: node, state, isLeader, epoch, leader } = this.leader;
    const cache = await this.cache.read().catch(() => null);
    return { node, state, isLeader, epoch, leader, cache };
  }
}
