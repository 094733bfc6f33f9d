import { isScheduled } from './background.js';
import { ruleOf } from './only-leader.rule.js';

/** What this needs of Nest's `InstanceWrapper`. */
interface Registered {
  readonly instance: unknown;
  readonly metatype: unknown;
}

/**
 * Leader-only handlers that the leader itself would run more than once a tick, each as a sentence that says why. No
 * election can help there: Nest registers the handlers of a class once for each of its tokens, aliases included, and
 * all of them again for each import of `ScheduleModule.forRoot()` since Nest 11.
 */
export function repeatedHandlers(providers: readonly Registered[]): readonly string[] {
  const timesOf = new Map<object, number>();
  let schedulers = 0;
  for (const { instance, metatype } of providers) {
    // By name, since `@nestjs/schedule` need not be installed.
    if (typeof metatype === 'function' && metatype.name === 'ScheduleExplorer') schedulers += 1;
    const prototype = prototypeOf(instance);
    if (prototype !== null && hasGuardedJob(prototype)) {
      timesOf.set(prototype, (timesOf.get(prototype) ?? 0) + 1);
    }
  }
  const warnings = [...timesOf]
    .filter(([, times]) => times > 1)
    .map(
      ([prototype, times]) =>
        `${prototype.constructor.name} is registered ${times} times, so each of its scheduled @OnlyLeader() methods ` +
        `runs ${times} times a tick on the leader. Provide it once, under one token.`,
    );
  if (schedulers > 1 && timesOf.size > 0) {
    warnings.push(
      `ScheduleModule.forRoot() is imported ${schedulers} times, so each scheduled @OnlyLeader() method runs ` +
        `${schedulers} times a tick on the leader. Import it once, in the root module.`,
    );
  }
  return warnings;
}

function prototypeOf(instance: unknown): object | null {
  if (typeof instance !== 'object' || instance === null) return null;
  return Object.getPrototypeOf(instance) as object | null;
}

function hasGuardedJob(prototype: object): boolean {
  for (
    let owner: object | null = prototype;
    owner !== null && owner !== Object.prototype;
    owner = Object.getPrototypeOf(owner) as object | null
  ) {
    for (const key of Reflect.ownKeys(owner)) {
      // By descriptor: a getter must not run.
      const method: unknown = Reflect.getOwnPropertyDescriptor(owner, key)?.value;
      if (typeof method !== 'function' || ruleOf(method) === undefined) continue;
      if (isScheduled(method)) return true;
    }
  }
  return false;
}
