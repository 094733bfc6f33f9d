/** The child process that hosts candidates. */
import { serveCalls } from '../load/serve-calls.js';
import { hosting } from './hosting.js';

serveCalls(hosting());
