/** The answers so far of all that were asked. */
export interface Tally<T> {
  readonly yes: readonly T[];
  readonly no: readonly T[];
  readonly failed: readonly unknown[];
}

/**
 * Resolves as soon as a majority says yes, says no, or fails; or when all have answered and there is none. Never
 * rejects. Answers that come later are not in the tally.
 */
export function collect<T>(
  calls: readonly Promise<T>[],
  isYes: (answer: T) => boolean,
): Promise<Tally<T>> {
  const majority = majorityOf(calls.length);
  const yes: T[] = [];
  const no: T[] = [];
  const failed: unknown[] = [];
  return new Promise((resolve) => {
    const count = (): void => {
      const decided = [yes, no, failed].some(({ length }) => length >= majority);
      const complete = yes.length + no.length + failed.length === calls.length;
      if (decided || complete) resolve({ yes: [...yes], no: [...no], failed: [...failed] });
    };
    for (const call of calls) {
      call.then(
        (answer) => {
          (isYes(answer) ? yes : no).push(answer);
          count();
        },
        (error: unknown) => {
          failed.push(error);
          count();
        },
      );
    }
  });
}

/** The smallest number of members of which any two groups have one in common. */
export function majorityOf(members: number): number {
  return Math.floor(members / 2) + 1;
}
