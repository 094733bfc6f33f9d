import { describe, expect, it } from '@jest/globals';
import { SetMetadata } from '@nestjs/common';

import { OnlyLeader } from '../../../lib/index.js';
import { guardedMethodsOf, ruleOf } from '../../../lib/work/only-leader.rule.js';

describe('what @OnlyLeader() refuses at decoration time', () => {
  const REMEDY =
    'it guards methods of an instance, not static methods, accessors or properties that hold a function. Make it a method.';

  it('a static method', () => {
    expect(() => {
      class Jobs {
        @OnlyLeader()
        static run() {}
      }
      return Jobs;
    }).toThrow(new TypeError(`@OnlyLeader() on Jobs.run: ${REMEDY}`));
  });

  it('a getter', () => {
    expect(() => {
      class Jobs {
        @OnlyLeader()
        get run() {
          return 1;
        }
      }
      return Jobs;
    }).toThrow(new TypeError(`@OnlyLeader() on Jobs.run: ${REMEDY}`));
  });

  it('a property that holds a function', () => {
    expect(() => {
      class Jobs {
        run = () => 1;
      }
      // The compiler refuses it as `@OnlyLeader() run = …`; plain JavaScript does not.
      (OnlyLeader() as PropertyDecorator)(Jobs.prototype, 'run');
      return Jobs;
    }).toThrow(new TypeError(`@OnlyLeader() on Jobs.run: ${REMEDY}`));
  });

  it.each(['onModuleInit', 'onApplicationBootstrap', 'onApplicationShutdown'])(
    'the hook %s, which Nest calls while nobody leads',
    (hook) => {
      class Jobs {
        onModuleInit() {}
        onApplicationBootstrap() {}
        onApplicationShutdown() {}
      }
      const descriptor = Object.getOwnPropertyDescriptor(Jobs.prototype, hook) ?? {};
      expect(() => OnlyLeader()(Jobs.prototype, hook, descriptor)).toThrow(
        new TypeError(
          `@OnlyLeader() on Jobs.${hook}: Nest calls this hook while nobody leads, so it would never run. Call ` +
            'LeaderService.whenLeader() in it, without awaiting it in a hook of the start, or subscribe to leadership$.',
        ),
      );
    },
  );

  it.each([
    [
      5,
      TypeError,
      '@OnlyLeader(): expected an election name or { name, otherwise }, got `5` (number).',
    ],
    [
      null,
      TypeError,
      '@OnlyLeader(): expected an election name or { name, otherwise }, got `null`.',
    ],
    [{ nam: 'x' }, TypeError, '@OnlyLeader(): unknown option `nam`; known are name, otherwise.'],
    [
      { name: 5 },
      TypeError,
      '@OnlyLeader(): expected `name` to be the name of an election, got `5` (number).',
    ],
    [
      { otherwise: 'run' },
      RangeError,
      "@OnlyLeader(): expected `otherwise` to be 'skip' | 'throw', got `'run'` (string).",
    ],
  ])('%j as its options', (options, type, message) => {
    const decorating = () => OnlyLeader(options as never);
    expect(decorating).toThrow(type);
    expect(decorating).toThrow(message);
  });
});

describe('what @OnlyLeader() leaves as it is', () => {
  it('N-01: metadata, name and length', () => {
    class Jobs {
      @SetMetadata('above', 1)
      @OnlyLeader()
      @SetMetadata('below', 2)
      run(first: string, second = 'x') {
        return first + second;
      }
    }
    const run = method(Jobs, 'run');
    expect(Reflect.getMetadata('above', run)).toBe(1);
    expect(Reflect.getMetadata('below', run)).toBe(2);
    expect(Reflect.getMetadata('design:paramtypes', Jobs.prototype, 'run')).toHaveLength(2);
    expect(run.name).toBe('run');
    expect(run.length).toBe(1);
    expect(ruleOf(run)).toEqual({});
  });

  it('does not mark the function that it wraps, which a base class may still use', () => {
    class Base {
      run() {
        return 1;
      }
    }
    @OnlyLeader('reports')
    class Jobs extends Base {}
    expect(ruleOf(method(Jobs, 'run'))).toEqual({ name: 'reports' });
    expect(ruleOf(method(Base, 'run'))).toBeUndefined();
    expect(new Base().run()).toBe(1);
    expect(guardedMethodsOf(Base)).toEqual([]);
  });

  it('N-02: accessors, lifecycle hooks, statics and fields of a class, without touching them', () => {
    let read = 0;
    @OnlyLeader()
    class Jobs {
      static create() {
        return new Jobs();
      }
      field = () => 'field';
      get value() {
        read += 1;
        return read;
      }
      onModuleInit() {
        return 'init';
      }
      onApplicationBootstrap() {
        return 'bootstrap';
      }
      onModuleDestroy() {
        return 'destroy';
      }
      beforeApplicationShutdown() {
        return 'before';
      }
      onApplicationShutdown() {
        return 'shutdown';
      }
      run() {
        return 'ran';
      }
    }
    expect(read).toBe(0);
    const jobs = Jobs.create();
    expect([
      jobs.field(),
      jobs.value,
      jobs.onModuleInit(),
      jobs.onApplicationBootstrap(),
      jobs.onModuleDestroy(),
      jobs.beforeApplicationShutdown(),
      jobs.onApplicationShutdown(),
    ]).toEqual(['field', 1, 'init', 'bootstrap', 'destroy', 'before', 'shutdown']);
    expect(() => jobs.run()).toThrow('Jobs.run has @OnlyLeader()');
  });

  it('the rule of a method that has one of its own', () => {
    @OnlyLeader('main')
    class Jobs {
      @OnlyLeader({ name: 'reports', otherwise: 'skip' })
      report() {}
      run() {}
    }
    expect(ruleOf(method(Jobs, 'report'))).toEqual({ name: 'reports', otherwise: 'skip' });
    expect(ruleOf(method(Jobs, 'run'))).toEqual({ name: 'main' });
    expect(guardedMethodsOf(Jobs).map(({ handler }) => handler)).toEqual([
      'Jobs.report',
      'Jobs.run',
    ]);
  });
});

describe('an instance that no application made', () => {
  class Jobs {
    ran = false;

    @OnlyLeader()
    run() {
      this.ran = true;
    }
  }

  it('never runs, and says how to test it', () => {
    const jobs = new Jobs();
    expect(() => jobs.run()).toThrow(
      'Jobs.run has @OnlyLeader(), but this instance was not made by a Nest application with ' +
        'LeaderElectionModule.forRoot(), so nobody can tell whether it leads. From a factory in request or transient scope ' +
        'it cannot be reached: use useClass there. In a test, get it from Test.createTestingModule() with LeaderElectionModule.forRoot({ store: new InMemoryLeaseStore() }) after init().',
    );
    expect(jobs.ran).toBe(false);
  });

  it('never runs without `this` either', () => {
    expect(() => method(Jobs, 'run').call(undefined)).toThrow('Jobs.run has @OnlyLeader()');
  });
});

function method(type: abstract new () => object, name: string): (...args: unknown[]) => unknown {
  return Reflect.get(type.prototype as object, name) as (...args: unknown[]) => unknown;
}
