/** The child process that boots an application. */
import 'reflect-metadata';

import { serveCalls } from '../load/serve-calls.js';
import { booting } from './boot.js';

serveCalls(booting());
