import { describe, expect, it } from '@jest/globals';
import { Outbox } from '../../../lib/election/outbox.js';

describe('the outbox', () => {
  it('delivers what a step sent when the step is complete', () => {
    const outbox = new Outbox();
    const seen: string[] = [];

    const result = outbox.step(() => {
      outbox.send(() => seen.push('told'));
      seen.push('done');
      return 'result';
    });

    expect(result).toBe('result');
    expect(seen).toEqual(['done', 'told']);
  });

  it('delivers a step that a listener causes after the present one', () => {
    const outbox = new Outbox();
    const seen: string[] = [];

    outbox.step(() => {
      outbox.send(() => {
        outbox.step(() => {
          seen.push('second done');
          outbox.send(() => seen.push('second told'));
        });
        seen.push('first told to a');
      });
      outbox.send(() => seen.push('first told to b'));
    });

    expect(seen).toEqual(['second done', 'first told to a', 'first told to b', 'second told']);
  });

  it('delivers what a step sent before it threw', () => {
    const outbox = new Outbox();
    const seen: string[] = [];

    expect(() =>
      outbox.step(() => {
        outbox.send(() => seen.push('told'));
        throw new Error('defect');
      }),
    ).toThrow('defect');
    outbox.step(() => outbox.send(() => seen.push('next')));

    expect(seen).toEqual(['told', 'next']);
  });
});
