import type { ElectionEvents } from '../../../lib/election/election-events.interface.js';

export type EventName = keyof ElectionEvents;
export type EventOf<Name extends EventName> = Parameters<ElectionEvents[Name]>[0];

interface Waiting {
  readonly name: EventName;
  check(): void;
}

/** Remembers everything that `events` hears, and lets a test wait for what is still to come. */
export class ElectionRecorder implements ElectionEvents {
  private readonly heard: { readonly name: EventName; readonly event: unknown }[] = [];
  private readonly waiting_ = new Set<Waiting>();

  all<Name extends EventName>(name: Name): EventOf<Name>[] {
    return this.heard
      .filter((entry) => entry.name === name)
      .map(({ event }) => event as EventOf<Name>);
  }

  /** The first event that matches, of those heard already and those to come. */
  first<Name extends EventName>(
    name: Name,
    matches: (event: EventOf<Name>) => boolean = () => true,
    { timeoutMs = 10_000, from = 0 }: { timeoutMs?: number; from?: number } = {},
  ): Promise<EventOf<Name>> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.waiting_.delete(waiting);
        reject(new Error(`No "${name}" event that matches within ${timeoutMs} ms.`));
      }, timeoutMs);
      const waiting: Waiting = {
        name,
        check: () => {
          const found = this.all(name).slice(from).find(matches);
          if (found === undefined) return;
          clearTimeout(timer);
          this.waiting_.delete(waiting);
          resolve(found);
        },
      };
      this.waiting_.add(waiting);
      waiting.check();
    });
  }

  /** The first event that matches and happens from now on. */
  next<Name extends EventName>(
    name: Name,
    matches: (event: EventOf<Name>) => boolean = () => true,
  ): Promise<EventOf<Name>> {
    return this.first(name, matches, { from: this.all(name).length });
  }

  started = this.hears('started');
  changed = this.hears('changed');
  granted = this.hears('granted');
  ended = this.hears('ended');
  waiting = this.hears('waiting');
  renewed = this.hears('renewed');
  storeFailed = this.hears('storeFailed');
  storeAnswered = this.hears('storeAnswered');
  notice = this.hears('notice');
  loopBlocked = this.hears('loopBlocked');
  drainTimedOut = this.hears('drainTimedOut');
  runStarted = this.hears('runStarted');
  runEnded = this.hears('runEnded');
  skipped = this.hears('skipped');

  private hears<Name extends EventName>(name: Name): (event: EventOf<Name>) => void {
    return (event) => {
      this.heard.push({ name, event });
      for (const waiting of this.waiting_) if (waiting.name === name) waiting.check();
    };
  }
}
