/** Starts one application of the demo and tells what it does, on the clock that all processes share. */
import 'reflect-metadata';

import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

import { type LeaderElectionOptions, LeaderService } from '../../lib/index.js';
import { type BeliefReport, BeliefSampler } from '../../test/support/history/belief-sampler.js';
import type { HistoryEvent } from '../../test/support/history/history.js';
import { sharedNowMs } from '../../test/support/history/shared-clock.js';
import { DemoAppModule, DemoJob } from './demo-app.module.js';

export const LEASE_TTL_MS = 2000;

const SAMPLE_EVERY_MS = 1;

export interface DemoNodeParts {
  readonly node: string;
  readonly options: LeaderElectionOptions;
  readonly onEvent: (event: HistoryEvent) => void;
  /** How long the node said that it leads, in pieces. */
  readonly onBelief: (report: BeliefReport) => void;
}

export async function startDemoNode(parts: DemoNodeParts): Promise<INestApplicationContext> {
  const { node, options, onEvent, onBelief } = parts;
  const module = DemoAppModule.with({
    ...options,
    nodeId: node,
    leaseTtlMs: LEASE_TTL_MS,
    events: {
      granted: ({ epoch }) => onEvent({ kind: 'granted', node, at: sharedNowMs(), epoch }),
      ended: ({ epoch, reason }) =>
        onEvent({ kind: 'ended', node, at: sharedNowMs(), epoch, reason }),
    },
  });
  const app = await NestFactory.createApplicationContext(module, { logger: ['error'] });
  app.get(DemoJob).onRun = (epoch) => onEvent({ kind: 'run', node, at: sharedNowMs(), epoch });

  const leader = app.get(LeaderService);
  const sampler = new BeliefSampler(node, leader, sharedNowMs, onBelief);
  leader.leadership$.subscribe(() => sampler.look());
  setInterval(() => sampler.look(), SAMPLE_EVERY_MS).unref();
  return app;
}
