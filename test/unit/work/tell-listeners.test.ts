import { describe, expect, it } from '@jest/globals';

import { tellListeners } from '../../../lib/events/tell-listeners.js';
import type { ElectionListener } from '../../../lib/index.js';

const EVENT = { election: 'x', campaign: true };

describe('tellListeners', () => {
  it('tells every listener, with its own `this`, in order', () => {
    class Counting {
      count = 0;
      started() {
        this.count += 1;
      }
    }
    const [first, second] = [new Counting(), new Counting()];
    const events = tellListeners([first, second], raise);
    events.started(EVENT);
    expect([first.count, second.count]).toEqual([1, 1]);
  });

  it('does nothing where nobody listens', () => {
    expect(() => tellListeners([{}], raise).started(EVENT)).not.toThrow();
    expect(() => tellListeners([], raise).storeAnswered({ election: 'x' })).not.toThrow();
  });

  it('goes on to the next listener when one throws, and reports the first failure of each event', () => {
    const errors: unknown[] = [];
    const heard: string[] = [];
    const throwing: ElectionListener = {
      started: () => raise('started'),
      storeAnswered: () => raise('storeAnswered'),
    };
    const events = tellListeners([throwing, { started: () => heard.push('second') }], (error) =>
      errors.push(error),
    );
    events.started(EVENT);
    events.started(EVENT);
    events.storeAnswered({ election: 'x' });
    expect(heard).toEqual(['second', 'second']);
    expect(errors).toEqual([new Error('started'), new Error('storeAnswered')]);
  });

  it('catches what an async listener rejects with', async () => {
    const reported = new Promise((resolve) => {
      // oxlint-disable-next-line no-misused-promises -- what a careless user does
      const events = tellListeners([{ started: async () => raise('later') }], resolve);
      events.started(EVENT);
    });
    await expect(reported).resolves.toEqual(new Error('later'));
  });
});

function raise(what: unknown): never {
  throw new Error(String(what));
}
