/** The child process that holds many leases. */
import 'reflect-metadata';

import { HOLDERS } from './holders/index.js';
import { holding } from './holding.js';
import { serveCalls } from './serve-calls.js';

serveCalls(holding(HOLDERS));
