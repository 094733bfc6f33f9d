/** For asking several servers of which some may be down. */

/** A server that is down or stopped never answers, and must not hold up a test that asks all of them. */
const ANSWER_TIMEOUT_MS = 500;

/** Null where there is no answer in time, or an error. */
export function answerInTime<T>(answer: Promise<T>): Promise<T | null> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(null), ANSWER_TIMEOUT_MS);
    answer
      .catch(() => null)
      .then((value) => {
        clearTimeout(timer);
        resolve(value);
      })
      // Cannot be: neither of them throws.
      .catch(() => undefined);
  });
}
