import { hasClassRule } from './only-leader.rule.js';

/**
 * Functions that `@OnlyLeader()` on a class does not reach, since they are properties of the instance and not methods:
 * each as a sentence. A class decorator cannot see them; a guarded class whose body runs everywhere must not go unnoticed.
 */
export function unguardedProperties(
  providers: readonly { readonly instance: unknown }[],
): readonly string[] {
  const warnings = new Set<string>();
  for (const { instance } of providers) {
    if (typeof instance !== 'object' || instance === null) continue;
    const type: unknown = instance.constructor;
    if (typeof type !== 'function' || !hasClassRule(type)) continue;
    for (const key of Reflect.ownKeys(instance)) {
      // By descriptor: a getter must not run.
      const value: unknown = Reflect.getOwnPropertyDescriptor(instance, key)?.value;
      if (typeof value !== 'function' || !isWrittenAs(key, value)) continue;
      warnings.add(
        `${type.name}.${String(key)} is a property that holds a function, so @OnlyLeader() on the class does not guard ` +
          'it: it runs on every instance. Make it a method if it is leader-only work.',
      );
    }
  }
  return [...warnings];
}

/** A function that the class itself writes has the name of its property; an injected class or client is another thing. */
function isWrittenAs(key: string | symbol, value: object): boolean {
  const { name } = value as { name?: unknown };
  const ownKeys = Reflect.ownKeys(value);
  const isPlain = ownKeys.every((own) => ['length', 'name', 'prototype'].includes(String(own)));
  const isClass = Function.prototype.toString.call(value).startsWith('class');
  return name === key && isPlain && !isClass;
}
