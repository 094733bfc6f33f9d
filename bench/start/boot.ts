/** One process that boots an application once: what it can be asked. */
import { once } from 'node:events';

import { Injectable, Module, type ModuleMetadata, type Provider } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Redis } from 'ioredis';

type Package = typeof import('../../lib/index.js');

/** The same application alone, with connections of its own that it does or does not wait for, or with this library. */
export type Variant = 'alone' | 'connecting' | 'connected' | 'with the library';

export interface BootRequest {
  readonly variant: Variant;
  /** Where the built package begins. */
  readonly entry: string;
  readonly redisUrl: string;
}

export interface Booted {
  /** Of the package, where Nest and ioredis have been imported before. */
  readonly importMs: number;
  /** From before its module is declared until all hooks of the start have run. */
  readonly bootMs: number;
}

export interface BootApi {
  boot(request: BootRequest): Promise<Booted>;
}

export function booting(): BootApi {
  return {
    async boot({ variant, entry, redisUrl }) {
      const beganImport = performance.now();
      const library = variant === 'with the library' ? ((await import(entry)) as Package) : null;
      const beganBoot = performance.now();
      const metadata =
        library === null
          ? { providers: [plainJobs(), ...connectionsOf(variant, redisUrl)] }
          : withLibrary(library, redisUrl);
      class AppModule {}
      Module(metadata)(AppModule);
      await NestFactory.createApplicationContext(AppModule, { logger: ['error', 'fatal'] });
      return { importMs: beganBoot - beganImport, bootMs: performance.now() - beganBoot };
    },
  };
}

function plainJobs(): Provider {
  @Injectable()
  class Jobs {
    work(): void {
      // Only its declaration matters.
    }
  }
  return Jobs;
}

/** As many as the library opens. */
function connectionsOf(variant: Variant, url: string): readonly Provider[] {
  const waits = variant === 'connected';
  const useFactory = async () => {
    const connections = [new Redis(url), new Redis(url)];
    if (waits) await Promise.all(connections.map((connection) => once(connection, 'ready')));
    return connections;
  };
  return variant === 'alone' ? [] : [{ provide: Redis, useFactory }];
}

function withLibrary(library: Package, redis: string): ModuleMetadata {
  const { LeaderElectionModule, LeaderService, OnlyLeader } = library;

  @Injectable()
  class Jobs {
    constructor(readonly leader: InstanceType<typeof LeaderService>) {}

    @OnlyLeader()
    work(): void {
      // Only its declaration matters.
    }
  }
  // In place of the type of a parameter, which is known only when the package is imported.
  Reflect.defineMetadata('design:paramtypes', [LeaderService], Jobs);
  return { imports: [LeaderElectionModule.forRoot({ redis })], providers: [Jobs] };
}
