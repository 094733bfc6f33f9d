/** An instant or a duration for people: milliseconds to the microsecond. */
export function ms(instant: number): string {
  return instant.toFixed(3);
}
