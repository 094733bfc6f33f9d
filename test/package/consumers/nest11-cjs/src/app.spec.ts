import { InMemoryLeaseStore } from 'nestjs-leader-election';

import { checkElection, EXPECTED } from './election-check';

const { REDIS_URL } = process.env;

describe('the installed package', () => {
  it('elects on the in-memory store', async () => {
    expect(await checkElection({ store: new InMemoryLeaseStore() })).toEqual(EXPECTED);
  });

  (REDIS_URL ? it : it.skip)('elects on Redis', async () => {
    expect(await checkElection({ redis: REDIS_URL! })).toEqual(EXPECTED);
  });
});
