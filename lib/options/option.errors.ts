import { inspect } from 'node:util';

const MAX_SHOWN = 200;

/** An option that cannot be used. The message names the option, the rule, the value received, and the remedy. */
export function wrongType(
  option: string,
  expected: string,
  value: unknown,
  remedy = '',
): TypeError {
  return new TypeError(optionMessage(option, expected, value, remedy));
}

export function wrongValue(
  option: string,
  expected: string,
  value: unknown,
  remedy = '',
): RangeError {
  return new RangeError(optionMessage(option, expected, value, remedy));
}

function optionMessage(option: string, expected: string, value: unknown, remedy: string): string {
  const message = `LeaderElectionModule: expected \`${option}\` to be ${expected}, got ${show(value)}.`;
  return remedy === '' ? message : `${message} ${remedy}`;
}

/** A received value as a message shows it. */
export function show(value: unknown): string {
  const full = inspect(value, { depth: 1, breakLength: Infinity });
  const text = `\`${full.length > MAX_SHOWN ? `${full.slice(0, MAX_SHOWN)}…` : full}\``;
  return value === null || value === undefined ? text : `${text} (${typeof value})`;
}
