import { isAsyncFunction } from 'node:util/types';

import { Inject, UseGuards } from '@nestjs/common';

import { ELECTION_REGISTRY, type ElectionRegistry } from './election-registry.js';
import { isBackground, LIFECYCLE_HOOKS } from './background.js';
import { LeaderGuard } from './leader.guard.js';
import {
  guardedMethodsOf,
  markClass,
  ONLY_LEADER_METHODS,
  ONLY_LEADER_RULE,
  type OnlyLeaderOptions,
  type Otherwise,
  REGISTRY_PROPERTY,
  ruleOf,
  toRule,
} from './only-leader.rule.js';
import { UnboundGuardError } from './work.errors.js';

type Method = (this: unknown, ...args: unknown[]) => unknown;

/** Nest calls these before the election begins or after it has ended, so that a guarded one would never run. */
const HOOKS_WITHOUT_LEADER: ReadonlySet<string | symbol> = new Set([
  'onModuleInit',
  'onApplicationBootstrap',
  'onApplicationShutdown',
]);

/**
 * Runs a method only on the instance that leads, and only while it leads: leadership is checked at each call.
 * On a class: all its methods and those it inherits, but for lifecycle hooks and accessors; a method with a decorator
 * of its own keeps that one.
 *
 * Works above and below `@Cron`, `@Interval`, `@Timeout`, `@OnEvent`, `@Get` and friends, and inside
 * `applyDecorators`. A method that is synchronous stays synchronous. A generator's body runs when it is iterated, which
 * is outside of the run and not guarded: hand it what it needs of `current()`. On a class, static methods and properties
 * that hold a function are not guarded.
 *
 * @example
 * @Cron(CronExpression.EVERY_DAY_AT_MIDNIGHT)
 * @OnlyLeader()
 * async chargeCards() {
 *   const { epoch, signal } = this.leader.current();
 * }
 *
 * @param nameOrOptions which election decides, by default that of `forRoot`, and what happens otherwise
 * @throws TypeError at decoration time on a static method, an accessor or a property, and on a lifecycle hook that Nest
 * calls while nobody leads
 * @throws RangeError at decoration time on an unknown `otherwise`
 *
 * @publicApi
 */
export function OnlyLeader(
  nameOrOptions?: string | OnlyLeaderOptions,
): ClassDecorator & MethodDecorator {
  const rule = toRule(nameOrOptions);
  return (target: object, key?: string | symbol, descriptor?: PropertyDescriptor): void => {
    if (key === undefined) guardClass(target, rule);
    else guardMethod(target, key, descriptor, rule);
  };
}

function guardClass(type: object, rule: OnlyLeaderOptions): void {
  markClass(type);
  const prototype = (type as { prototype: object }).prototype;
  const seen = new Set<string | symbol>(['constructor', ...LIFECYCLE_HOOKS]);
  for (
    let owner: object | null = prototype;
    owner !== null && owner !== Object.prototype;
    owner = Object.getPrototypeOf(owner) as object | null
  ) {
    for (const key of Reflect.ownKeys(owner)) {
      const descriptor = Reflect.getOwnPropertyDescriptor(owner, key);
      const method: unknown = descriptor?.value;
      if (seen.has(key) || descriptor === undefined) continue;
      seen.add(key);
      if (typeof method !== 'function' || ruleOf(method) !== undefined) continue;
      guardMethod(prototype, key, descriptor, rule);
      Object.defineProperty(prototype, key, descriptor);
    }
  }
}

/** Changes `descriptor.value` and returns nothing: `applyDecorators` drops what a decorator returns. */
function guardMethod(
  target: object,
  key: string | symbol,
  descriptor: PropertyDescriptor | undefined,
  rule: OnlyLeaderOptions,
): void {
  const owner = typeof target === 'function' ? target : target.constructor;
  const handler = `${owner.name}.${String(key)}`;
  const original: unknown = descriptor?.value;
  if (typeof target === 'function' || descriptor === undefined || typeof original !== 'function') {
    throw new TypeError(
      `@OnlyLeader() on ${handler}: it guards methods of an instance, not static methods, accessors or properties ` +
        'that hold a function. Make it a method.',
    );
  }
  if (HOOKS_WITHOUT_LEADER.has(key)) {
    throw new TypeError(
      `@OnlyLeader() on ${handler}: Nest calls this hook while nobody leads, so it would never run. Call ` +
        'LeaderService.whenLeader() in it, without awaiting it in a hook of the start, or subscribe to leadership$.',
    );
  }
  const guarded = guard(original as Method, key, handler, rule);
  Object.defineProperty(guarded, 'name', { value: original.name, configurable: true });
  Object.defineProperty(guarded, 'length', { value: original.length, configurable: true });
  for (const metadataKey of Reflect.getOwnMetadataKeys(original)) {
    const value: unknown = Reflect.getOwnMetadata(metadataKey, original);
    Reflect.defineMetadata(metadataKey, value, guarded);
  }
  Reflect.defineMetadata(ONLY_LEADER_RULE, rule, guarded);
  descriptor.value = guarded;

  // For routes: 503 before pipes run, and before method guards that stand above. Without effect where Nest runs no guards.
  UseGuards(LeaderGuard)(target, key, descriptor);
  const methods = guardedMethodsOf(owner);
  if (methods.length === 0) Inject(ELECTION_REGISTRY)(target, REGISTRY_PROPERTY);
  Reflect.defineMetadata(ONLY_LEADER_METHODS, [...methods, { handler, rule }], owner);
}

function guard(
  original: Method,
  key: string | symbol,
  handler: string,
  rule: OnlyLeaderOptions,
): Method {
  // Decided at the first call: decorators above this one have set their metadata by then.
  let otherwise: Otherwise | undefined = rule.otherwise;
  // An async method stays async where it is not run, since its callers rely on a promise.
  const isAsync = isAsyncFunction(original);

  return function guarded(this: unknown, ...args: unknown[]): unknown {
    const election = registryOf(this, handler).get(rule.name);
    const leadership = election.admitted;
    if (leadership !== null) {
      return election.work.run(leadership, handler, () => original.apply(this, args));
    }
    otherwise ??= isCalledInBackground(this, key, guarded) ? 'skip' : 'throw';
    if (otherwise === 'skip') {
      election.skip(handler);
      return isAsync ? Promise.resolve() : undefined;
    }
    const refusal = election.refuse(handler);
    if (isAsync) return Promise.reject(refusal);
    throw refusal;
  };
}

/** Another wrapper may stand between this one and `@Cron`, and then carries the metadata. */
function isCalledInBackground(instance: unknown, key: string | symbol, guarded: object): boolean {
  if (isBackground(guarded, key)) return true;
  const outermost: unknown = (instance as Record<string | symbol, unknown>)[key];
  return typeof outermost === 'function' && isBackground(outermost);
}

function registryOf(instance: unknown, handler: string): ElectionRegistry {
  const registry =
    typeof instance === 'object' && instance !== null
      ? (instance as { [REGISTRY_PROPERTY]?: ElectionRegistry })[REGISTRY_PROPERTY]
      : undefined;
  if (registry === undefined) throw new UnboundGuardError(handler);
  return registry;
}
