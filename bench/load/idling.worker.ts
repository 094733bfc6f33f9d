/** The child process with idle candidates. */
import { idling } from './idling.js';
import { serveCalls } from './serve-calls.js';

serveCalls(idling());
