import { Inject, type InjectionToken } from '@nestjs/common';

import { LeaderService } from './leader.service.js';

/**
 * The injection token of the `LeaderService` of an election; without a name that of `forRoot`.
 *
 * @publicApi
 */
export function getLeaderToken(name?: string): InjectionToken<LeaderService> {
  return name === undefined
    ? LeaderService
    : `LeaderService of LeaderElectionModule.forFeature('${name}')`;
}

/**
 * Injects the `LeaderService` of an election; without a name that of `forRoot`.
 *
 * @example
 * constructor(@InjectLeader('reports') private readonly reports: LeaderService) {}
 *
 * @publicApi
 */
export function InjectLeader(name?: string): PropertyDecorator & ParameterDecorator {
  return Inject(getLeaderToken(name));
}
