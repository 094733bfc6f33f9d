/** What must come right when nothing goes wrong any more. */
import type { LedWithin } from '../../lib/testing/history-rules.js';
import type { CandidateProcess } from './model/candidate-process.js';
import type { Scene } from './model/scene.js';
import { HANDED_OVER_WITHIN_MS, TTL_MS } from './plan.js';

/** Whoever leaves is through with it by then: nothing is in its way any more. */
const STOPPED_WITHIN_MS = 300;
/** Long enough for the renewal whose answer is lost, and for the one after it. */
const ONE_LOSS_MS = 0.9 * TTL_MS;
/** Within this, candidates that wake each other have requests under way. */
const STIR_MS = 8;

/** One lost answer costs nothing; the leader is followed when it leaves; all stop in time, and leave no lease. */
export async function calm(scene: Scene): Promise<LedWithin[]> {
  const { world, observer, seats, plan } = scene;
  await loseOneAnswer(scene);
  const { leader } = observer;
  const seat = seats.find(({ process }) => process !== null && process === leader);
  if (leader === null || seat === undefined) return [];
  world.note?.(leader.name, 'is asked to leave');
  const leftAt = world.now;
  if (plan.seed % 3 === 0) leader.stepDown(TTL_MS);
  else seat.stop(() => undefined);
  // At times everybody goes while the lease passes on.
  const goesOn = plan.seed % 3 < 2;
  await world.clock.advance(goesOn ? HANDED_OVER_WITHIN_MS + 1 : world.random() * STIR_MS);
  await stopAll(scene);
  if (!goesOn) return [];
  return [{ after: leftAt, withinMs: HANDED_OVER_WITHIN_MS, except: leader.name }];
}

/** Rule 10: it is asked again, and nothing is lost by it. */
async function loseOneAnswer({ world, observer }: Scene): Promise<void> {
  const { leader } = observer;
  if (leader === null) return;
  const epoch = leader.candidate.current.epoch;
  for (const link of leader.links) link.losesNextAnswer = true;
  await world.clock.advance(ONE_LOSS_MS);
  const after = observer.leader;
  if (after === leader && leader.candidate.current.epoch === epoch) return;
  observer.wrong('one-loss-costs-nothing', `${leader.name} lost epoch ${epoch} by one lost answer`);
}

async function stopAll({ world, observer, seats, members }: Scene): Promise<void> {
  const stopping: CandidateProcess[] = seats.flatMap(({ process }) => process ?? []);
  for (const seat of seats) seat.stop(() => undefined);
  await world.clock.advance(STOPPED_WITHIN_MS);
  for (const { name, unfinished, clock } of stopping) {
    if (unfinished > 0) observer.wrong('stops-in-time', `${name} does not stop`);
    if (clock.pendingTimers > 0) observer.wrong('stops-in-time', `${name} leaves timers`);
  }
  // What a late message left on a minority of them is in nobody's way.
  const left = members.filter(({ primary: { data, clock } }) => {
    return data.lease !== null && data.lease.expiresAt >= clock.wallMs();
  });
  if (left.length <= (members.length - 1) / 2) return;
  observer.wrong('leaves-nothing', `leases are left on ${left.map(({ name }) => name).join(', ')}`);
}
