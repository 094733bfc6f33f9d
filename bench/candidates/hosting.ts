/** One process that hosts candidates: what it can be asked. */
import { sharedNowMs } from '../../lib/testing/history-recorder.js';
import { CONTESTANTS } from '../contestants/index.js';
import type { BenchCandidate } from '../contestants/contestant.interface.js';
import { Belief, type Interval } from './belief.js';

export interface CandidateId {
  readonly election: string;
  readonly name: string;
}

export interface JoinRequest extends CandidateId {
  /** `Contestant.id`. */
  readonly contestant: string;
  readonly url: string;
  readonly ttlMs: number;
  /** How long to wait before it takes part, so that not all candidates try in step. */
  readonly delayMs: number;
}

export interface LeadsRequest {
  readonly election: string;
  /** Who is not meant: a candidate that is about to cease. */
  readonly except?: string;
}

/** All times are by the clock that all processes share. */
export interface Lead {
  readonly name: string;
  /** Since when it has said to lead. */
  readonly at: number;
}

export interface HostingApi {
  join(request: JoinRequest): Promise<void>;
  /** Who of the candidates here leads, as soon as one does. */
  leads(request: LeadsRequest): Promise<Lead>;
  /** Resolves when it has left; tells when it was told to. */
  leave(id: CandidateId): Promise<number>;
  /** Asks all candidates each millisecond whether they lead, from now on. */
  watch(): Promise<void>;
  /** When the candidates of that election said to lead, since `watch()`. */
  beliefs(election: string): Promise<readonly Interval[]>;
}

interface Hosted extends CandidateId {
  readonly belief: Belief;
  candidate: BenchCandidate | null;
  /** Since when it leads, by what it was told; null while it does not. */
  leadsSince: number | null;
}

export function hosting(): HostingApi {
  const hosted = new Set<Hosted>();
  const waiting = new Set<() => void>();

  const leaderOf = ({ election, except }: LeadsRequest): Lead | null => {
    for (const { election: its, name, leadsSince } of hosted) {
      if (its === election && name !== except && leadsSince !== null) {
        return { name, at: leadsSince };
      }
    }
    return null;
  };

  return {
    async join({ contestant: id, election, name, url, ttlMs, delayMs }) {
      const contestant = CONTESTANTS.find((one) => one.id === id);
      if (contestant === undefined) throw new Error(`There is no contestant ${id}.`);
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      const one: Hosted = {
        election,
        name,
        belief: new Belief(),
        candidate: null,
        leadsSince: null,
      };
      hosted.add(one);
      const changed = (isLeading: boolean): void => {
        one.leadsSince = isLeading ? sharedNowMs() : null;
        if (isLeading) for (const look of waiting) look();
      };
      one.candidate = await contestant.start({ url, election, name, ttlMs, changed });
    },
    leads: (request) =>
      new Promise((resolve) => {
        const look = (): void => {
          const leader = leaderOf(request);
          if (leader === null) return;
          waiting.delete(look);
          resolve(leader);
        };
        waiting.add(look);
        look();
      }),
    async leave({ election, name }) {
      const one = [...hosted].find((its) => its.election === election && its.name === name);
      if (!one?.candidate) throw new Error(`${name} is not a candidate of ${election} here.`);
      const toldAt = sharedNowMs();
      await one.candidate.stop();
      hosted.delete(one);
      return toldAt;
    },
    watch() {
      setInterval(() => {
        for (const { candidate, belief } of hosted) {
          // Before the answer, which holds for that instant too.
          const at = sharedNowMs();
          belief.saw(at, candidate?.isLeading() ?? false);
        }
      }, 1);
      return Promise.resolve();
    },
    beliefs: (election) =>
      Promise.resolve(
        [...hosted]
          .filter((one) => one.election === election)
          .flatMap(({ belief }) => belief.intervals),
      ),
  };
}
