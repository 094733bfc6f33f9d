import type { VirtualClock } from './virtual-clock.js';

/** Who did what, when: a scenario that can be read, and compared as text. */
export class Transcript {
  readonly lines: string[] = [];

  constructor(private readonly clock: VirtualClock) {}

  add(who: string, what: string): void {
    const at = Math.round(this.clock.elapsedMs).toString().padStart(6);
    this.lines.push(`${at}  ${who}  ${what}`);
  }

  toString(): string {
    return this.lines.join('\n');
  }
}
