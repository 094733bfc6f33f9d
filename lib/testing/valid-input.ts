/** Refuses what the rules could only overlook: an event or an expectation that does not say what it has to. */
import type { HistoryEvent } from './history.js';
import type { Expectations } from './history-rules.js';

type Fields = Readonly<Record<string, unknown>>;

/** @throws TypeError which names the event */
export function assertEvent(event: HistoryEvent): void {
  if (typeof event !== 'object' || event === null) throw new TypeError(expected('an event', event));
  const { kind, node, at } = event;
  if (typeof node !== 'string' || node === '') throw wrong(event, 'node', 'a name', node);
  if (!Number.isFinite(at)) throw wrong(event, 'at', 'a finite number', at);
  switch (kind) {
    case 'granted':
    case 'ended':
    case 'run':
      return assertEpoch(event, event.epoch);
    case 'belief': {
      const { until } = event;
      assertEpoch(event, event.epoch);
      if (until === undefined || (Number.isFinite(until) && until >= at)) return undefined;
      // Infinity is null in JSON.
      throw wrong(event, 'until', 'a finite number, and not before `at`', until);
    }
    case 'changed': {
      const { change } = event;
      if (typeof change !== 'object' || change === null) {
        throw wrong(event, 'change', 'a value of `leadership$`', change);
      }
      return change.epoch === null ? undefined : assertEpoch(event, change.epoch);
    }
    case 'unreleased':
    case 'gone':
      return undefined;
    default:
      throw wrong(event, 'kind', 'one that there is', kind);
  }
}

/** @throws TypeError which names the option */
export function assertExpectations(expectations: Expectations): void {
  assertKeys('the expectations', expectations, ['ledWithin', 'gracefulHandOverMs', 'excused']);
  const { ledWithin, gracefulHandOverMs, excused } = expectations;
  if (gracefulHandOverMs !== undefined) assertDuration('gracefulHandOverMs', gracefulHandOverMs);
  for (const [name, list] of Object.entries({ ledWithin, excused })) {
    if (list !== undefined && !Array.isArray(list))
      throw new TypeError(expected('a list', list, name));
  }
  ledWithin?.forEach((led, index) => {
    const where = `ledWithin[${index}]`;
    assertKeys(where, led, ['after', 'withinMs', 'except']);
    assertFinite(`${where}.after`, led.after);
    assertDuration(`${where}.withinMs`, led.withinMs);
    if (led.except === undefined || typeof led.except === 'string') return;
    throw new TypeError(expected('the name of a node', led.except, `${where}.except`));
  });
  excused?.forEach((stretch, index) => {
    const where = `excused[${index}]`;
    assertKeys(where, stretch, ['from', 'until']);
    assertFinite(`${where}.from`, stretch.from);
    if (stretch.until !== undefined) assertFinite(`${where}.until`, stretch.until);
  });
}

export function assertFinite(name: string, value: number): void {
  if (!Number.isFinite(value)) throw new TypeError(expected('a finite number', value, name));
}

function assertDuration(name: string, value: number): void {
  assertFinite(name, value);
  if (value < 0) throw new TypeError(expected('no less than 0', value, name));
}

function assertEpoch(event: HistoryEvent, epoch: number): void {
  if (!Number.isFinite(epoch)) throw wrong(event, 'epoch', 'a finite number', epoch);
}

function assertKeys(where: string, given: object, known: readonly string[]): void {
  // Also what a caller without types gives.
  const fields = given as Fields | null;
  if (typeof fields !== 'object' || fields === null) {
    throw new TypeError(expected('an object', fields, where));
  }
  for (const key of Object.keys(fields)) {
    if (known.includes(key)) continue;
    throw new TypeError(`Unknown \`${key}\` in ${where}. Known are: ${known.join(', ')}.`);
  }
}

function wrong(event: object, field: string, what: string, value: unknown): TypeError {
  return new TypeError(`${expected(what, value, field)} In ${JSON.stringify(event)}.`);
}

function expected(what: string, value: unknown, name?: string): string {
  const of = name === undefined ? '' : `\`${name}\` to be `;
  const got = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return `Expected ${of}${what}, got ${got}.`;
}
