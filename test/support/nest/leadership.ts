import { filter, firstValueFrom, timeout } from 'rxjs';

import type { ElectionState, LeaderService, LeadershipChange } from '../../../lib/index.js';

const LIMIT_MS = 15_000;

/** Resolves with the first value of `leadership$` in that state, which may be the present one. */
export function untilState(leader: LeaderService, state: ElectionState): Promise<LeadershipChange> {
  const reached = leader.leadership$.pipe(
    filter((change) => change.state === state),
    timeout({
      first: LIMIT_MS,
      with: () => {
        throw new Error(`Not "${state}" within ${LIMIT_MS} ms; it is "${leader.state}".`);
      },
    }),
  );
  return firstValueFrom(reached);
}

export interface Gate<T = void> {
  readonly passed: Promise<T>;
  open(value: T): void;
}

/** A promise that the test settles. */
export function gate<T = void>(): Gate<T> {
  let open: (value: T) => void = nothing;
  const passed = new Promise<T>((resolve) => (open = resolve));
  return { passed, open: (value) => open(value) };
}

function nothing(): void {}
