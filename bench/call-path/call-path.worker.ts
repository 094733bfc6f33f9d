/** The child process that times the call path. */
import 'reflect-metadata';

import { serveCalls } from '../load/serve-calls.js';
import { callPath } from './call-path.js';

serveCalls(callPath());
