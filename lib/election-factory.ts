import { isDeepStrictEqual } from 'node:util';

import { Logger } from '@nestjs/common';

import { Candidate } from './election/candidate.js';
import type { ElectionEvents } from './election/election-events.interface.js';
import type { LeaseStore } from './election/lease-store.interface.js';
import { LeaseTime } from './election/lease-time.js';
import { ElectionLogger } from './events/election-logger.js';
import { tellListeners } from './events/tell-listeners.js';
import { LeaderService } from './leader.service.js';
import type {
  ElectionOptions,
  FeatureElectionOptions,
  LeaderElectionOptions,
} from './options/leader-election-options.interface.js';
import {
  defaultNodeId,
  inheritFromRoot,
  resolveElection,
  withoutUndefined,
} from './options/resolve-options.js';
import { QuorumLeaseStore } from './stores/quorum/quorum-lease-store.js';
import type { RedisSource } from './stores/redis/redis-client.js';
import { RedisLeaseStore } from './stores/redis/redis-lease-store.js';
import { SystemClock } from './system-clock.js';
import { Election, ElectionRegistry } from './work/election-registry.js';
import { LeaderWork, type LeaderWorkParts } from './work/leader-work.js';
import { RunContext } from './work/run-context.js';
import { DuplicateElectionError } from './work/work.errors.js';

/** Makes the elections of one application, on one store, and one service for each. */
export class ElectionFactory {
  readonly registry: ElectionRegistry;
  private readonly services = new Map<string, LeaderService>();
  private readonly optionsOf = new Map<string, FeatureElectionOptions>();
  private readonly clock = new SystemClock();
  private readonly time = new LeaseTime(this.clock);
  private readonly context = new RunContext();
  private readonly nodeId: string;
  private readonly store: LeaseStore;
  private readonly ownStore: LeaseStore | null;
  private readonly events: ElectionEvents;
  private readonly parts: LeaderWorkParts;

  /** Expects validated options. */
  constructor(private readonly root: LeaderElectionOptions) {
    this.nodeId = root.nodeId ?? defaultNodeId();
    this.ownStore = root.redis === undefined ? null : openRedis(root.redis, root.keyPrefix);
    const store = root.store ?? this.ownStore;
    if (store === null || store === undefined) throw new Error('Defect: options without a store.');
    this.store = store;
    const logger = new Logger(LeaderService.name);
    this.events = tellListeners(
      [
        new ElectionLogger(logger, (name) => this.registry.find(name)?.config),
        ...(root.events === undefined ? [] : [root.events]),
      ],
      (error) =>
        logger.error('A listener in `events` threw; the election goes on.', stackOf(error)),
    );
    this.parts = { context: this.context, events: this.events, time: this.time };
    const config = resolveElection(root, this.nodeId);
    this.registry = new ElectionRegistry(config.election);
    // forFeature() with its name alone means this one.
    this.optionsOf.set(config.election, { name: config.election });
    this.add(root);
  }

  get rootService(): LeaderService {
    return this.serviceOf(this.registry.defaultName);
  }

  serviceOf(name: string): LeaderService {
    const service = this.services.get(name);
    if (service === undefined) {
      throw new DuplicateElectionError(
        `LeaderElectionModule.forRootAsync: it was given the name "${name}", but its options say ` +
          `"${this.registry.defaultName}". Give both the same name.`,
      );
    }
    return service;
  }

  /** The same election for the same name; different options for one name are refused. */
  feature(feature: FeatureElectionOptions): LeaderService {
    const options = withoutUndefined(feature);
    const known = this.services.get(options.name);
    if (known !== undefined) {
      if (isDeepStrictEqual(this.optionsOf.get(options.name), options)) return known;
      throw new DuplicateElectionError(
        options.name === this.registry.defaultName
          ? `LeaderElectionModule: "${options.name}" is the election of forRoot(), which has its options there. Leave ` +
              'them out in forFeature(), or choose another name.'
          : `LeaderElectionModule: election "${options.name}" is registered twice with different options. Use one ` +
              'forFeature() with all of them, or another name.',
      );
    }
    this.optionsOf.set(options.name, options);
    return this.add(inheritFromRoot(this.root, options));
  }

  start(): void {
    this.context.outside(() => this.registry.start());
  }

  stop(): Promise<void> {
    return this.context.outside(() => this.registry.stop());
  }

  /** Closes what was opened here; a store of the user's stays open. */
  async close(): Promise<void> {
    await this.ownStore?.close();
  }

  private add(options: ElectionOptions): LeaderService {
    const { clock, context, events, parts, store, time } = this;
    const config = resolveElection(options, this.nodeId);
    const work = new LeaderWork(config.election, parts);
    const candidate = new Candidate(
      { config, store, clock, time, events, random: Math.random },
      work,
    );
    const election = new Election(config, candidate, work, events);
    const service = new LeaderService(election, context);
    this.services.set(config.election, service);
    context.outside(() => this.registry.add(election));
    return service;
  }
}

function openRedis(
  redis: RedisSource | readonly RedisSource[],
  keyPrefix: string | undefined,
): LeaseStore {
  if (!isSeveral(redis)) return new RedisLeaseStore({ redis, keyPrefix });
  return new QuorumLeaseStore(
    redis.map((server) => new RedisLeaseStore({ redis: server, keyPrefix })),
  );
}

function isSeveral(redis: RedisSource | readonly RedisSource[]): redis is readonly RedisSource[] {
  return Array.isArray(redis);
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
