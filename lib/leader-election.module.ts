import { type DynamicModule, Inject, Module, type Provider } from '@nestjs/common';
import { DiscoveryModule, DiscoveryService } from '@nestjs/core';

import { ApplicationLifecycle } from './application-lifecycle.js';
import { ElectionFactory } from './election-factory.js';
import { getLeaderToken } from './inject-leader.decorator.js';
import {
  type ASYNC_OPTIONS_TYPE,
  ConfigurableModuleClass,
  LEADER_ELECTION_OPTIONS,
} from './leader-election.module-definition.js';
import { LeaderService } from './leader.service.js';
import type {
  FeatureElectionOptions,
  LeaderElectionOptions,
} from './options/leader-election-options.interface.js';
import { DEFAULT_ELECTION } from './options/resolve-options.js';
import { validateFeatureOptions, validateRootOptions } from './options/validate-options.js';
import { ELECTION_REGISTRY } from './work/election-registry.js';

/** For `forFeature`, which finds here what `forRoot` made. */
const ELECTION_FACTORY = Symbol.for(
  'import LeaderElectionModule.forRoot() in the root module; forFeature() adds to it',
);

/**
 * Options of `forRootAsync`. With `useClass` or `useExisting` the class has a method `create()` that returns the
 * options or a promise of them.
 *
 * @publicApi
 */
export type LeaderElectionAsyncOptions = typeof ASYNC_OPTIONS_TYPE & {
  /** Needed only for `@InjectLeader(name)` with the name of the root election; must equal the option `name`. */
  readonly name?: string;
};

/**
 * Elects one leader among the instances of an application.
 *
 * @publicApi
 */
@Module({})
export class LeaderElectionModule extends ConfigurableModuleClass {
  /** @internal Without `forRoot()` anywhere it cannot be made, so that a bare import does not go unnoticed. */
  constructor(@Inject(ELECTION_FACTORY) _factory: ElectionFactory) {
    super();
  }

  /**
   * Global: the election that `LeaderService` and a plain `@OnlyLeader()` speak of, and the connection that all share.
   *
   * @example
   * LeaderElectionModule.forRoot({ name: 'billing', redis: process.env.REDIS_URL })
   *
   * @throws TypeError or RangeError that names the option, its value and the remedy
   */
  static override forRoot(options: LeaderElectionOptions): DynamicModule {
    validateRootOptions(options);
    return rootModule(super.forRoot(options), options.name ?? DEFAULT_ELECTION);
  }

  /** The same with options that are made by a provider. They are checked when the application starts. */
  static override forRootAsync(options: LeaderElectionAsyncOptions): DynamicModule {
    const { name, ...rest } = options;
    return rootModule(super.forRootAsync(rest), name);
  }

  /**
   * A further election on the connection of `forRoot`, injected with `@InjectLeader(name)`. Importing the same name
   * with the same options in several modules gives them one election.
   *
   * @example
   * LeaderElectionModule.forFeature('reports')
   *
   * @throws TypeError or RangeError that names the option, its value and the remedy
   */
  static forFeature(nameOrOptions: string | FeatureElectionOptions): DynamicModule {
    const options = typeof nameOrOptions === 'string' ? { name: nameOrOptions } : nameOrOptions;
    validateFeatureOptions(options);
    const service: Provider = {
      provide: getLeaderToken(options.name),
      inject: [ELECTION_FACTORY],
      useFactory: (factory: ElectionFactory) => factory.feature(options),
    };
    return { module: LeaderElectionModule, providers: [service], exports: [service] };
  }
}

function rootModule(definition: DynamicModule, name: string | undefined): DynamicModule {
  const providers: Provider[] = [
    {
      provide: ELECTION_FACTORY,
      inject: [LEADER_ELECTION_OPTIONS],
      useFactory: (options: LeaderElectionOptions) => {
        validateRootOptions(options);
        return new ElectionFactory(options);
      },
    },
    {
      provide: ELECTION_REGISTRY,
      inject: [ELECTION_FACTORY],
      useFactory: ({ registry }: ElectionFactory) => registry,
    },
    {
      provide: LeaderService,
      inject: [ELECTION_FACTORY],
      useFactory: (factory: ElectionFactory) => factory.rootService,
    },
    {
      provide: ApplicationLifecycle,
      inject: [ELECTION_FACTORY, DiscoveryService],
      useFactory: (factory: ElectionFactory, discovery: DiscoveryService) =>
        new ApplicationLifecycle(factory, discovery),
    },
  ];
  const named: Provider[] =
    name === undefined
      ? []
      : [
          {
            provide: getLeaderToken(name),
            inject: [ELECTION_FACTORY],
            useFactory: (factory: ElectionFactory) => factory.serviceOf(name),
          },
        ];
  return {
    ...definition,
    global: true,
    imports: [...(definition.imports ?? []), DiscoveryModule],
    providers: [...(definition.providers ?? []), ...providers, ...named],
    exports: [ELECTION_FACTORY, ELECTION_REGISTRY, LeaderService, ...named],
  };
}
