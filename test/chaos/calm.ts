/** No faults: what must hold then, measured and judged. */
import { firstLedAfter, type LedWithin, sharedNowMs } from '../../lib/index.js';
import { sleep } from '../support/process/cluster.js';
import type { Failover } from './failover.js';
import type { Member } from './fleet.js';
import type { Run } from './run.js';

/** A hold-off is noticed at the next probe, at most a lease later, and lasts a lease. */
const HOLD_OFF_LEASES = 2.5;
const HAND_OVER_MS = 1500;
const FAILOVER_SLACK_MS = 2000;
const LOOK_EVERY_MS = 20;
/** Longer than a belief takes to be told. */
const TOLD_MS = 200;

/** Ends the faults of a storm, and has somebody lead, hand over, and tell how much memory it needs. */
export async function calm(run: Run, round: number): Promise<void> {
  const { fleet, topology, ttlMs, figures } = run;
  await run.untilWhole();
  await fleet.fill();
  const recovered = await expectLed(run, 'after the faults', {
    after: sharedNowMs(),
    withinMs: 2 * ttlMs + topology.recoveryMs,
  });
  if (recovered !== null) figures.recoveriesMs.push(recovered);
  await run.pass(HOLD_OFF_LEASES * ttlMs);
  if (run.isOver()) return;
  if (topology.failover !== undefined && round % 2 === 0) await failOver(run, topology.failover);
  else await handOver(run, round);
  for (const member of fleet.running) {
    const memory = await fleet.ask(member, 'memory', {});
    if (memory !== null && member.stays) figures.heapBytes.push(memory.heapBytes);
  }
}

async function handOver(run: Run, round: number): Promise<void> {
  const { fleet, ttlMs } = run;
  const { leader } = fleet;
  if (leader === undefined) return;
  const after = sharedNowMs();
  const led = { after, withinMs: HAND_OVER_MS, except: leader.worker.node };
  const asked = leave(run, leader, round % 4 < 2);
  const tookMs = await expectLed(run, 'hand-over', led);
  if (tookMs !== null) run.figures.handOversMs.push(tookMs);
  await asked;
  await fleet.fill();
  await run.pass(ttlMs / 2);
}

async function leave({ fleet, ttlMs }: Run, leader: Member, forGood: boolean): Promise<void> {
  if (forGood && !leader.stays) await fleet.terminate(leader);
  else await fleet.ask(leader, 'stepDown', { cooldownMs: 2 * ttlMs });
}

/** Under load, as the workers go on with their leader-only work all the time. */
async function failOver(run: Run, failover: Failover): Promise<void> {
  const { ttlMs, figures } = run;
  const { killedAt, promotedAt } = await failover.promote();
  const failoverMs = promotedAt - killedAt;
  const withinMs = failoverMs + ttlMs + FAILOVER_SLACK_MS;
  const ledAgainMs = await expectLed(run, 'failover', {
    after: promotedAt,
    withinMs: withinMs - failoverMs,
  });
  if (ledAgainMs !== null)
    figures.failovers.push({ failoverMs, ledAgainMs: failoverMs + ledAgainMs });
  await failover.recover();
  await run.untilWhole();
  await run.pass(HOLD_OFF_LEASES * ttlMs);
}

/** How long it took, or null where nobody led in time. */
async function expectLed(run: Run, what: string, led: LedWithin): Promise<number | null> {
  const { lag } = run.fleet;
  const bound = () => led.withinMs + run.options.slackMs + lag.allowanceSince(led.after);
  const ledAfter = () => firstLedAfter(run.recent, led);
  while (ledAfter() === null && sharedNowMs() < led.after + bound() + TOLD_MS && !run.isOver()) {
    await sleep(LOOK_EVERY_MS);
    run.look();
  }
  const at = ledAfter();
  if (run.isOver() && at === null) return null;
  run.expected.push({ ...led, withinMs: bound() });
  if (at === null || at - led.after > bound()) {
    const when = at === null ? 'never' : `after ${Math.round(at - led.after)} ms`;
    run.findings.add(
      'led-in-time',
      `${what}: nobody led within ${Math.round(bound())} ms (${when})`,
    );
    return null;
  }
  return at - led.after;
}
