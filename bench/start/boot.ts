/** One process that boots an application once: what it can be asked. */
import { Injectable, Module, type ModuleMetadata, type Provider } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Redis } from 'ioredis';

type Package = typeof import('../../lib/index.js');

/** The same application alone, with a connection that it waits for, or with this library. */
export type Variant = 'alone' | 'with a connection' | 'with the library';

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
          ? { providers: [plainJobs(), ...(variant === 'alone' ? [] : [connection(redisUrl)])] }
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

function connection(url: string): Provider {
  const useFactory = async () => {
    const redis = new Redis(url, { lazyConnect: true });
    await redis.connect();
    return redis;
  };
  return { provide: Redis, useFactory };
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
