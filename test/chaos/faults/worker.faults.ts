/** Processes that die, stand still, leave and rest. */
import { sleep } from '../../support/process/cluster.js';
import { between, type FaultKinds, type Play } from './fault.interface.js';

/** How long a place stays empty. */
const LONGEST_VACANCY_MS = 1500;

const kill: Play = async ({ fleet }, { whom, leader, amount }) => {
  const node = await fleet.withOne({ whom, leader, leaves: true }, (hit) => fleet.kill(hit));
  fleet.fillLater(between(0, LONGEST_VACANCY_MS, amount));
  return node;
};

const terminate: Play = async ({ fleet }, { whom, leader, amount }) => {
  const node = await fleet.withOne({ whom, leader, leaves: true }, (hit) => fleet.terminate(hit));
  fleet.fillLater(between(0, LONGEST_VACANCY_MS, amount));
  return node;
};

const pause: Play = ({ fleet, ttlMs }, { whom, leader, amount }) =>
  fleet.withOne({ whom, leader }, async ({ worker }) => {
    worker.signal('SIGSTOP');
    await sleep(between(0.2 * ttlMs, 2.5 * ttlMs, amount));
    worker.signal('SIGCONT');
  });

const block: Play = ({ fleet, ttlMs }, { whom, leader, amount }) =>
  fleet.withOne({ whom, leader }, async (member) => {
    const ms = between(0.2 * ttlMs, 2.5 * ttlMs, amount);
    await fleet.ask(member, 'spin', { ms });
  });

const stepDown: Play = ({ fleet, ttlMs }, { whom, amount }) =>
  fleet.withOne({ whom, leader: true }, async (member) => {
    await fleet.ask(member, 'stepDown', { cooldownMs: between(0, 2 * ttlMs, amount) });
  });

export const WORKER_FAULTS: FaultKinds = {
  kill,
  terminate,
  pause,
  block,
  'step-down': stepDown,
};
