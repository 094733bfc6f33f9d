import { describe, expect, it, jest } from '@jest/globals';
import { AsyncLocalStorage } from 'node:async_hooks';

import { RunContext, type RunFrame } from '../../../lib/work/run-context.js';
import { leadership } from './fixtures.js';

describe('RunContext', () => {
  it('pins each owner to the innermost of its runs', () => {
    const context = new RunContext();
    const [a, b] = [{}, {}];
    const [first, second, other] = [leadership(1), leadership(2), leadership(9)];
    context.enter(a, first, () =>
      context.enter(b, other, () => {
        expect([context.pinned(a), context.pinned(b)]).toEqual([first, other]);
        context.enter(a, second, () => {
          expect([context.pinned(a), context.pinned(b)]).toEqual([second, other]);
        });
        expect([context.pinned(a), context.pinned(b)]).toEqual([first, other]);
      }),
    );
    expect([context.pinned(a), context.pinned(b)]).toEqual([undefined, undefined]);
  });

  it('is left for work that belongs to no run', () => {
    const context = new RunContext();
    const owner = {};
    context.enter(owner, leadership(), () => {
      context.outside(() => expect(context.pinned(owner)).toBeUndefined());
      expect(context.pinned(owner)).toBeDefined();
    });
  });

  it('keeps one frame for each owner, however often work calls itself again', async () => {
    const run = jest.spyOn(AsyncLocalStorage.prototype, 'run');
    try {
      const context = new RunContext();
      const [a, b] = [{}, {}];
      const again = async (left: number): Promise<void> => {
        // Another leadership each time, so that no frame can be shared.
        await context.enter(a, leadership(left), () =>
          context.enter(b, leadership(left), async () => {
            await Promise.resolve();
            if (left > 0) await again(left - 1);
          }),
        );
      };
      await again(50);
      const depths = run.mock.calls.map(([frame]) => depthOf(frame as RunFrame));
      expect(depths).toHaveLength(102);
      expect(Math.max(...depths)).toBe(2);
    } finally {
      run.mockRestore();
    }
  });
});

function depthOf(frame: RunFrame | undefined): number {
  return frame === undefined ? 0 : 1 + depthOf(frame.outer);
}
