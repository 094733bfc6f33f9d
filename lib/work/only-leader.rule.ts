import { show } from '../options/option.errors.js';

/** What happens to a call on an instance that does not lead. */
export type Otherwise = 'skip' | 'throw';

/**
 * @publicApi
 */
export interface OnlyLeaderOptions {
  /** The election that decides. @default the one of `forRoot` */
  readonly name?: string;
  /**
   * On an instance that does not lead: `'skip'` returns undefined, `'throw'` throws a `NotLeaderException`.
   * @default 'skip' for scheduled and event handlers, 'throw' for everything else (an HTTP handler answers 503)
   */
  readonly otherwise?: Otherwise;
}

/** Marks a guarded function. */
export const ONLY_LEADER_RULE = 'nestjs-leader-election:rule';
/** On a class: the guarded methods and the elections they ask for, to be checked at start-up. */
export const ONLY_LEADER_METHODS = 'nestjs-leader-election:methods';
/** On a class: that all its methods are guarded. */
const ONLY_LEADER_CLASS = 'nestjs-leader-election:class';
/** Where a guarded instance finds the elections of its own application. */
export const REGISTRY_PROPERTY = Symbol.for(
  '@OnlyLeader() needs LeaderElectionModule.forRoot() in the root module',
);

export interface GuardedMethod {
  readonly handler: string;
  readonly rule: OnlyLeaderOptions;
}

export function ruleOf(target: object): OnlyLeaderOptions | undefined {
  return Reflect.getOwnMetadata(ONLY_LEADER_RULE, target) as OnlyLeaderOptions | undefined;
}

/** The guarded methods of a class and of those it extends. */
export function guardedMethodsOf(type: object): readonly GuardedMethod[] {
  return (Reflect.getMetadata(ONLY_LEADER_METHODS, type) as GuardedMethod[] | undefined) ?? [];
}

export function markClass(type: object): void {
  Reflect.defineMetadata(ONLY_LEADER_CLASS, true, type);
}

/** Whether `@OnlyLeader()` stands on this class, or on one that it extends. */
export function hasClassRule(type: object): boolean {
  return Reflect.getMetadata(ONLY_LEADER_CLASS, type) === true;
}

export function toRule(nameOrOptions: unknown): OnlyLeaderOptions {
  if (nameOrOptions === undefined) return {};
  if (typeof nameOrOptions === 'string') return { name: nameOrOptions };
  if (typeof nameOrOptions !== 'object' || nameOrOptions === null) {
    throw new TypeError(
      `@OnlyLeader(): expected an election name or { name, otherwise }, got ${show(nameOrOptions)}.`,
    );
  }
  const { name, otherwise, ...unknown } = nameOrOptions as Record<string, unknown>;
  const [stranger] = Object.keys(unknown);
  if (stranger !== undefined) {
    throw new TypeError(
      `@OnlyLeader(): unknown option \`${stranger}\`; known are name, otherwise.`,
    );
  }
  if (otherwise !== undefined && otherwise !== 'skip' && otherwise !== 'throw') {
    throw new RangeError(
      `@OnlyLeader(): expected \`otherwise\` to be 'skip' | 'throw', got ${show(otherwise)}.`,
    );
  }
  if (name !== undefined && typeof name !== 'string') {
    throw new TypeError(
      `@OnlyLeader(): expected \`name\` to be the name of an election, got ${show(name)}.`,
    );
  }
  return {
    ...(name === undefined ? {} : { name }),
    ...(otherwise === undefined ? {} : { otherwise }),
  };
}
