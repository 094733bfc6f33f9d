/** Prints measured figures below the test results. */

export function printTakeOvers(takeOvers: ReadonlyMap<string, readonly number[]>): void {
  for (const [fault, times] of takeOvers) {
    const p50 = percentile(times, 0.5).toFixed(0);
    const p95 = percentile(times, 0.95).toFixed(0);
    const max = Math.max(...times).toFixed(0);
    print(
      `${fault}: ${times.length} times, led again after p50 ${p50} ms, p95 ${p95} ms, max ${max} ms`,
    );
  }
}

export function print(line: string): void {
  process.stderr.write(`    ${line}\n`);
}

export function percentile(values: readonly number[], part: number): number {
  const sorted = [...values];
  sorted.sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? NaN;
}
