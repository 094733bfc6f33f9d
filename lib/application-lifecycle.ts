import {
  type BeforeApplicationShutdown,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import type { DiscoveryService } from '@nestjs/core';

import type { ElectionFactory } from './election-factory.js';
import { LeaderService } from './leader.service.js';
import { ELECTION_REGISTRY, ElectionRegistry } from './work/election-registry.js';
import { guardedMethodsOf, REGISTRY_PROPERTY } from './work/only-leader.rule.js';
import { repeatedHandlers } from './work/repeated-handlers.js';
import { unguardedProperties } from './work/unguarded-properties.js';
import { DuplicateElectionError, UnknownElectionError } from './work/work.errors.js';

/**
 * When things happen in the life of an application. It campaigns once every module is initialised, and drains and
 * releases in `beforeApplicationShutdown`: timers have been stopped by then, and what leader-only work needs is, by
 * Nest's convention, still open.
 */
export class ApplicationLifecycle
  implements OnModuleInit, OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown
{
  constructor(
    private readonly factory: ElectionFactory,
    private readonly discovery: DiscoveryService,
  ) {}

  onModuleInit(): void {
    this.refuseSecondRoot();
    this.checkElectionNames();
    this.bindInstances();
    const logger = new Logger(LeaderService.name);
    const providers = this.providers();
    for (const warning of [...repeatedHandlers(providers), ...unguardedProperties(providers)]) {
      logger.warn(warning);
    }
  }

  onApplicationBootstrap(): void {
    this.factory.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.factory.stop();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.factory.stop();
    await this.factory.close();
  }

  /** Since Nest 11 each `forRoot()` call makes a module of its own: two candidates would fight in one process. */
  private refuseSecondRoot(): void {
    const names = this.providers()
      .filter(({ token }) => token === ELECTION_REGISTRY)
      .map(({ instance }) => (instance as ElectionRegistry | undefined)?.defaultName);
    if (names.length < 2) return;
    throw new DuplicateElectionError(
      `LeaderElectionModule.forRoot() is imported ${names.length} times in one application (elections ` +
        `${names.map((name) => `"${name}"`).join(', ')}). Import it once, in the root module, and add further ` +
        'elections with LeaderElectionModule.forFeature(name).',
    );
  }

  /** An unknown name fails now and not at midnight. */
  private checkElectionNames(): void {
    const { registry } = this.factory;
    const unknown = this.guardedTypes()
      .flatMap((type) => guardedMethodsOf(type))
      .filter(({ rule }) => registry.find(rule.name) === undefined);
    if (unknown.length === 0) return;
    throw new UnknownElectionError(
      [...new Set(unknown.map(({ rule }) => rule.name ?? registry.defaultName))],
      [...new Set(unknown.map(({ handler }) => handler))],
      registry.names(),
    );
  }

  /** Instances from `useFactory` and `useValue` get no property injection, so their registry is set here. */
  private bindInstances(): void {
    for (const { instance } of this.providers()) {
      if (!isGuardedInstance(instance)) continue;
      const bound = (instance as { [REGISTRY_PROPERTY]?: ElectionRegistry })[REGISTRY_PROPERTY];
      if (bound === this.factory.registry) continue;
      if (bound !== undefined && !bound.isStopped) {
        throw new DuplicateElectionError(
          `One instance of ${instance.constructor.name} is shared by two running applications, so @OnlyLeader() on ` +
            'it cannot tell whose leadership counts. Give each application its own instance.',
        );
      }
      if (!Object.isExtensible(instance)) {
        throw new TypeError(
          `${instance.constructor.name} has @OnlyLeader(), but this instance is frozen, so it cannot be told whose ` +
            'leadership counts. Provide it unfrozen.',
        );
      }
      Object.defineProperty(instance, REGISTRY_PROPERTY, {
        value: this.factory.registry,
        configurable: true,
        writable: true,
      });
    }
  }

  private guardedTypes(): readonly object[] {
    const types = new Set<object>();
    for (const { metatype, instance } of this.providers()) {
      if (typeof metatype === 'function') types.add(metatype);
      if (isGuardedInstance(instance)) types.add(instance.constructor);
    }
    return [...types];
  }

  private providers() {
    return [...this.discovery.getProviders(), ...this.discovery.getControllers()];
  }
}

function isGuardedInstance(instance: unknown): instance is object {
  return (
    typeof instance === 'object' &&
    instance !== null &&
    typeof instance.constructor === 'function' &&
    guardedMethodsOf(instance.constructor).length > 0
  );
}
