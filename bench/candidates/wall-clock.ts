/** From the wall clock, which Redis goes by, to the clock that all processes share. */
import { sharedNowMs } from '../../lib/testing/history-recorder.js';

/** To the microsecond: the wall clock tells whole milliseconds, so it is read when one begins. */
export function sharedAheadOfWallMs(): number {
  const before = Date.now();
  let now = before;
  while (now === before) now = Date.now();
  return sharedNowMs() - now;
}
