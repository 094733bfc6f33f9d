/** Numbers as a reader wants them. */

const SIGNIFICANT_DIGITS = 3;

/** With three significant digits, or all of a larger whole: 0.0123, 4.57, 1,234. */
export function numberText(value: number): string {
  if (!Number.isFinite(value)) return '–';
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US');
  return String(Number(value.toPrecision(SIGNIFICANT_DIGITS)));
}
