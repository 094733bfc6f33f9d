/** Plays one plan from the first start to the last stop, and judges what was seen. */
import { checkHistory } from '../../lib/testing/history-checker.js';
import { calm } from './calm.js';
import { EFFECTS } from './faults/families.js';
import { Limits } from './model/limits.js';
import { Member } from './model/member.js';
import { Observer } from './model/observer.js';
import type { Scene } from './model/scene.js';
import { Seat } from './model/seat.js';
import { World } from './model/world.js';
import { type Fault, FAULTS_END_MS, LED_WITHIN_MS, type Plan } from './plan.js';

export interface RunOptions {
  /** Where the transcript goes, if anybody reads it. */
  readonly lines?: string[];
  /** Asks for more than what is promised. */
  readonly lifted?: boolean;
}

export interface Violation {
  readonly rule: string;
  readonly message: string;
}

export interface Outcome {
  readonly violations: readonly Violation[];
  readonly grants: number;
}

export async function runPlan(plan: Plan, options: RunOptions = {}): Promise<Outcome> {
  const scene = setScene(plan, options);
  const { world, observer, seats } = scene;
  world.clock.afterEachStep(() => observer.look());
  for (const [index, { startAt }] of plan.candidates.entries()) {
    const join = () => seats[index]?.start();
    world.at(startAt, () => scene.limits.whenOpen(join));
  }
  for (const fault of plan.faults) world.at(fault.at, () => begin(scene, fault));
  if (plan.workEveryMs > 0) work(scene);

  await world.clock.advance(FAULTS_END_MS + LED_WITHIN_MS);
  const ledWithin = [{ after: FAULTS_END_MS, withinMs: LED_WITHIN_MS }, ...(await calm(scene))];
  observer.finish();
  const { history } = observer;
  return {
    violations: [...observer.violations, ...checkHistory(history, { ledWithin })],
    grants: history.reduce((count, { kind }) => (kind === 'granted' ? count + 1 : count), 0),
  };
}

function setScene(plan: Plan, { lines, lifted = false }: RunOptions): Scene {
  const world = new World(plan.seed, lines ?? null);
  const observer = new Observer(world);
  const members = plan.servers.map(
    (server, index) => new Member(world, `S${index + 1}.`, server, plan.replicas),
  );
  const seats = plan.candidates.map(
    (candidate, index) => new Seat(world, plan, members, observer, index, candidate),
  );
  return {
    world,
    plan,
    seats,
    members,
    observer,
    limits: new Limits(world, plan, seats, lifted),
  };
}

function begin(scene: Scene, fault: Fault): void {
  const { world } = scene;
  const { kind, who, at, forMs, amount, member } = fault;
  world.note?.('*', `${kind} (${who}, member ${member}, for ${forMs} ms, amount ${amount})`);
  const end = EFFECTS[kind](scene, fault);
  if (end === null) return;
  world.at(Math.min(at + forMs, FAULTS_END_MS), () => {
    world.note?.('*', `${kind} is over`);
    end();
  });
}

function work(scene: Scene): void {
  const { world, seats, plan, observer } = scene;
  world.after(plan.workEveryMs * (0.5 + world.random()), () => {
    const process = seats[Math.floor(world.random() * seats.length)]?.process;
    if (process && !process.clock.isHeld) observer.tryWork(process);
    work(scene);
  });
}
