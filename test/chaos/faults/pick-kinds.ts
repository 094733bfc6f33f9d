/** Some kinds of faults out of many. */
import type { FaultKinds } from './fault.interface.js';

export function pickKinds(all: FaultKinds, ...names: readonly string[]): FaultKinds {
  return Object.fromEntries(
    names.map((name) => {
      const play = all[name];
      if (play === undefined) throw new Error(`There is no fault ${name}.`);
      return [name, play];
    }),
  );
}
