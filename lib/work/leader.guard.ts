import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';

import { ELECTION_REGISTRY, type ElectionRegistry } from './election-registry.js';
import { ruleOf } from './only-leader.rule.js';

/**
 * Lets a request through on the leader only; elsewhere it answers 503 with `Retry-After` and who leads, before pipes
 * and interceptors run. `@OnlyLeader()` on a route brings it along; use it alone to guard a whole controller or
 * application with the election of `forRoot`.
 *
 * @example
 * @UseGuards(LeaderGuard)
 * @Controller('admin')
 *
 * @throws NotLeaderException on an instance that does not lead
 *
 * @publicApi
 */
@Injectable()
export class LeaderGuard implements CanActivate {
  /** @internal */
  constructor(
    @Inject(ELECTION_REGISTRY) private readonly registry: ElectionRegistry,
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const handler = context.getHandler();
    const rule = ruleOf(handler) ?? {};
    const election = this.registry.get(rule.name);
    // A handler that is to be skipped is reached, and skips itself.
    if (election.admitted !== null || rule.otherwise === 'skip') return true;
    if (context.getType() === 'http') {
      const response: unknown = context.switchToHttp().getResponse();
      const seconds = String(election.retryAfterSeconds);
      this.host.httpAdapter?.setHeader(response, 'Retry-After', seconds);
    }
    throw election.refuse(`${context.getClass().name}.${handler.name}`);
  }
}
