/** The monotonic clock that all processes of one machine share, in milliseconds. */
export function sharedNowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
