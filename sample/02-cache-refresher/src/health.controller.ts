import { Controller, Get } from '@nestjs/common';
import { OnlyLeader } from 'nestjs-leader-election';

@Controller('health')
export class HealthController {
  /** For liveness: a follower is as healthy as the leader, and a Redis that is down is no reason for a restart. */
  @Get()
  alive() {
    return { status: 'ok' };
  }

  /** For a load balancer that is to find the leader: 200 there, 503 with `Retry-After` and who leads elsewhere. */
  @Get('leader')
  @OnlyLeader()
  leader() {
    return { status: 'ok' };
  }
}
