/** Faults, one after the other in each of several lanes, so that those of one lane meet those of the others. */
import { seededRandom } from '../support/election/seeded-random.js';
import { sharedNowMs } from '../../lib/index.js';
import { sleep } from '../support/process/cluster.js';
import {
  type FaultKinds,
  NotNow,
  type PlannedFault,
  type PlayedFault,
  type Scene,
} from './faults/fault.interface.js';

const LEADER_PART = 0.6;

type Outcome = Pick<PlayedFault, 'node' | 'failed'>;

/** What a seed says of one lane, without end. */
export class Lane {
  private readonly random: () => number;
  private deck: string[] = [];

  constructor(
    private readonly kinds: FaultKinds,
    seed: number,
    /** Between two faults. */
    private readonly longestPauseMs: number,
  ) {
    this.random = seededRandom(seed);
  }

  /** Plays until then, or until `isOver`; a fault that has begun is played to its end. */
  async play(
    scene: Scene,
    until: number,
    isOver: () => boolean,
    note: (fault: PlayedFault) => void,
  ): Promise<void> {
    while (!isOver()) {
      const fault = this.next();
      const pauseMs = fault.pauseMs;
      if (sharedNowMs() + pauseMs > until) return;
      await sleep(pauseMs);
      const from = sharedNowMs();
      const outcome = await this.playOne(scene, fault);
      if (outcome !== null) note({ kind: fault.kind, from, until: sharedNowMs(), ...outcome });
    }
  }

  /** Null where it was not the time for it. */
  private async playOne(scene: Scene, fault: PlannedFault): Promise<Outcome | null> {
    try {
      const node = await this.kinds[fault.kind]?.(scene, fault);
      return node === undefined ? {} : { node };
    } catch (error) {
      return error instanceof NotNow ? null : { failed: String(error) };
    }
  }

  private next(): PlannedFault {
    // Dealt like cards, so that each kind has its turn before any comes again.
    if (this.deck.length === 0) this.deck = this.shuffled(Object.keys(this.kinds));
    const kind = this.deck.pop() ?? '';
    return {
      kind,
      pauseMs: Math.round(this.random() * this.longestPauseMs),
      amount: this.random(),
      whom: this.random(),
      leader: this.random() < LEADER_PART,
    };
  }

  private shuffled(kinds: string[]): string[] {
    for (let index = kinds.length - 1; index > 0; index -= 1) {
      const other = Math.floor(this.random() * (index + 1));
      [kinds[index], kinds[other]] = [kinds[other] ?? '', kinds[index] ?? ''];
    }
    return kinds;
  }
}
