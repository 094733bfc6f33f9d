/** The child process that holds many leases. */
import 'reflect-metadata';

import { holding } from './holding.js';
import { serveCalls } from './serve-calls.js';

serveCalls(holding());
