import { expect } from '@jest/globals';

/** What `checkElection` of the consumers reports when all is well. */
const ELECTED = {
  ranOn: ['first', 'second'],
  epochsGrow: true,
  statusOnLeader: 200,
  statusOnFollower: 503,
  refusedWith: 'NotLeaderException',
  refusalIsInstance: true,
  refusalIsBranded: true,
  stateAfterClose: 'stopped',
};

/** The output of a consumer's `main.ts`: one report for each store. */
export function assertElected(output: string, { stores }: { stores: number }): void {
  const reports: unknown = JSON.parse(output);
  expect(reports).toEqual(Array.from({ length: stores }, () => ELECTED));
}

/** The output of a consumer's `same-class.mjs`. */
export function assertSameClasses(output: string): void {
  const { different, names } = JSON.parse(output) as { different: string[]; names: string[] };
  expect(names).toEqual(expect.arrayContaining(['LeaderService', 'NotLeaderException']));
  expect(different).toEqual([]);
}
