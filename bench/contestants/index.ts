/** All contestants; the first is this library. */
import type { Contestant } from './contestant.interface.js';

export const CONTESTANTS: readonly Contestant[] = [];
