/** One process with candidates of one election that nothing happens to: what it can be asked. */
import { CONTESTANTS } from '../contestants/index.js';
import type { BenchCandidate } from '../contestants/contestant.interface.js';

export interface IdleRequest {
  /** `Contestant.id`. */
  readonly contestant: string;
  readonly url: string;
  readonly election: string;
  readonly ttlMs: number;
  readonly retryEveryMs?: number;
  /** The numbers of the candidates, from one to before the other. */
  readonly from: number;
  readonly to: number;
}

export interface IdlingApi {
  start(request: IdleRequest): Promise<void>;
  /** How many say to lead. */
  leaders(): Promise<number>;
}

export function idling(): IdlingApi {
  const candidates: BenchCandidate[] = [];
  return {
    async start({ contestant: id, from, to, ...options }) {
      const contestant = CONTESTANTS.find((one) => one.id === id);
      if (contestant === undefined) throw new Error(`There is no contestant ${id}.`);
      for (let number = from; number < to; number += 1) {
        const name = `candidate-${number}`;
        candidates.push(await contestant.start({ ...options, name, changed: () => undefined }));
      }
    },
    leaders: () => Promise.resolve(candidates.filter((one) => one.isLeading()).length),
  };
}
