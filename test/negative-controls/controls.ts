/** All rules that can be switched off. */
import type { Control } from './control.interface.js';
import { ELECTION_CONTROLS } from './election.controls.js';
import { QUORUM_CONTROLS } from './quorum.controls.js';
import { REDIS_CONTROLS } from './redis.controls.js';
import { STORE_CONTROLS } from './store.controls.js';

export const CONTROLS: readonly Control[] = [
  ...ELECTION_CONTROLS,
  ...STORE_CONTROLS,
  ...QUORUM_CONTROLS,
  ...REDIS_CONTROLS,
];
