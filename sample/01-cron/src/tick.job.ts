import { Injectable, Logger } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { LeaderService, OnlyLeader } from 'nestjs-leader-election';

@Injectable()
export class TickJob {
  private readonly logger = new Logger(TickJob.name);

  constructor(private readonly leader: LeaderService) {}

  @Cron(CronExpression.EVERY_SECOND)
  @OnlyLeader()
  tick(): void {
    const { nodeId, epoch } = this.leader.current();
    this.logger.log(`tick on ${nodeId}, epoch ${epoch}`);
  }
}
