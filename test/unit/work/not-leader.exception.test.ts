import { describe, expect, it, jest } from '@jest/globals';
import { HttpException } from '@nestjs/common';

import { isNotLeaderException, NotLeaderException } from '../../../lib/index.js';

const leader = { nodeId: 'pod-2', epoch: 7, metadata: { url: 'http://pod-2' } };

describe('NotLeaderException', () => {
  it('is a 503 that says who leads', () => {
    const exception = new NotLeaderException({
      election: 'billing',
      leader,
      retryAfterSeconds: 10,
    });
    expect(exception).toBeInstanceOf(HttpException);
    expect(exception.getStatus()).toBe(503);
    expect(exception.message).toBe('Not the leader of election "billing": "pod-2" leads.');
    expect(exception.getResponse()).toEqual({
      statusCode: 503,
      error: 'Service Unavailable',
      message: 'Not the leader of election "billing": "pod-2" leads.',
      election: 'billing',
      // Without metadata, which may be for insiders only.
      leader: { nodeId: 'pod-2', epoch: 7 },
      retryAfterSeconds: 10,
    });
    expect(exception.leader).toBe(leader);
  });

  it('says so when the leader is unknown', () => {
    const exception = new NotLeaderException({ election: 'billing', leader: null });
    expect(exception.message).toBe('Not the leader of election "billing": the leader is unknown.');
    expect(exception).toMatchObject({ election: 'billing', leader: null });
  });

  it('says so when the work has outlived its leadership, whoever leads now', () => {
    const exception = new NotLeaderException({ election: 'billing', leader, endedEpoch: 5 });
    expect(exception.message).toBe(
      'Not the leader of election "billing": the leadership that this work began under, epoch 5, is over.',
    );
  });

  it('is recognised across two copies of the package, where instanceof fails', async () => {
    jest.resetModules();
    const copy = await import('../../../lib/work/not-leader.exception.js');
    const exception = new copy.NotLeaderException({ election: 'x', leader: null });
    expect(copy.NotLeaderException).not.toBe(NotLeaderException);
    expect(exception).not.toBeInstanceOf(NotLeaderException);
    expect(isNotLeaderException(exception)).toBe(true);
    expect(copy.isNotLeaderException(new NotLeaderException({ election: 'x', leader }))).toBe(true);
  });

  it.each([undefined, null, 'text', 5, {}, new Error('x'), new HttpException('x', 503)])(
    'is not %p',
    (other) => {
      expect(isNotLeaderException(other)).toBe(false);
    },
  );
});
