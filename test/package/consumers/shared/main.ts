import { InMemoryLeaseStore } from 'nestjs-leader-election';

import { checkElection } from './election-check.js';

async function bootstrap(): Promise<void> {
  const { REDIS_URL } = process.env;
  const reports = [await checkElection({ store: new InMemoryLeaseStore() })];
  if (REDIS_URL) reports.push(await checkElection({ redis: REDIS_URL }));
  console.log(JSON.stringify(reports));
}
void bootstrap();
