/** Starts one application of the demo and tells what it does, on the clock that all processes share. */
import 'reflect-metadata';

import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

import {
  type HistoryEvent,
  historyRecorder,
  type LeaderElectionOptions,
  LeaderService,
  recordBelief,
} from '../../lib/index.js';
import { DemoAppModule } from './demo-app.module.js';

export const LEASE_TTL_MS = 2000;

export interface DemoNodeParts {
  readonly node: string;
  readonly options: LeaderElectionOptions;
  readonly onEvent: (event: HistoryEvent) => void;
}

export async function startDemoNode(parts: DemoNodeParts): Promise<INestApplicationContext> {
  const { node, options, onEvent } = parts;
  const module = DemoAppModule.with({
    ...options,
    nodeId: node,
    leaseTtlMs: LEASE_TTL_MS,
    events: historyRecorder(node, onEvent),
  });
  const app = await NestFactory.createApplicationContext(module, { logger: ['error'] });
  recordBelief(node, app.get(LeaderService), onEvent);
  return app;
}
