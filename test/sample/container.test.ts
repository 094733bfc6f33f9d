import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { ROOT } from './sample-build.js';

const SAMPLE = join(ROOT, 'sample/02-cache-refresher');
const APPS = ['app-1', 'app-2', 'app-3'] as const;
const FINAL_STAGE = 'FROM node:22-alpine';

interface Service {
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly depends_on?: Record<string, { readonly condition: string }>;
  readonly environment?: Record<string, string | number>;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly init?: boolean;
  readonly ports?: readonly string[];
  readonly restart?: string;
  readonly stop_grace_period?: string;
}

interface ComposeFile {
  readonly services: Record<string, Service>;
}

describe('compose.yaml of the sample 02-cache-refresher', () => {
  const { services } = readCompose();

  it('runs a Redis with a health check, and three instances that wait for it', () => {
    expect(new Set(Object.keys(services))).toEqual(new Set(['redis', ...APPS]));
    expect(services.redis?.healthcheck?.test).toEqual(['CMD', 'redis-cli', 'ping']);
    for (const name of APPS) {
      expect(services[name]?.depends_on).toEqual({ redis: { condition: 'service_healthy' } });
    }
  });

  it('gives each instance a name and a port of its own', () => {
    const nodes = APPS.map((name) => services[name]?.environment?.NODE_ID);
    expect(nodes).toEqual(APPS);
    for (const [index, name] of APPS.entries()) {
      const port = 3001 + index;
      expect(services[name]?.environment?.PORT).toBe(port);
      expect(services[name]?.ports).toEqual([`${port}:${port}`]);
      expect(services[name]?.environment?.REDIS_URL).toBe('redis://redis:6379');
    }
  });

  it('starts what ended again, and leaves it more time to stop than it drains', () => {
    for (const name of APPS) {
      const { restart, init, stop_grace_period: grace = '', environment } = services[name] ?? {};
      expect({ restart, init }).toEqual({ restart: 'unless-stopped', init: true });
      const graceMs = Number(/^(\d+)s$/.exec(grace)?.[1]) * 1000;
      expect(graceMs).toBeGreaterThan(Number(environment?.DRAIN_TIMEOUT_MS));
    }
    expect(services.redis?.restart).toBe('unless-stopped');
  });

  it('builds from the root of the repository with a Dockerfile that is there', () => {
    for (const name of APPS) {
      const { context = '', dockerfile = '' } = services[name]?.build ?? {};
      expect(resolve(SAMPLE, context)).toBe(ROOT);
      expect(existsSync(join(ROOT, dockerfile))).toBe(true);
    }
  });
});

describe('Dockerfile of the sample 02-cache-refresher', () => {
  const lines = readFileSync(join(SAMPLE, 'Dockerfile'), 'utf8').split('\n');

  it('copies only what the repository has', () => {
    const sources = lines
      .filter((line) => line.startsWith('COPY ') && !line.includes('--from='))
      .flatMap((line) => line.split(/\s+/).slice(1, -1));
    expect(sources.length).toBeGreaterThan(0);
    expect(sources.filter((source) => !existsSync(join(ROOT, source)))).toEqual([]);
  });

  it('runs node itself, so that it gets the signals, and not as root', () => {
    const last = lines.slice(lines.lastIndexOf(FINAL_STAGE));
    expect(last).toContain('USER node');
    expect(last).toContain('CMD ["node", "dist/main.js"]');
  });

  it('asks for the versions that the repository was tested with', () => {
    const root = readManifest(ROOT);
    const { 'nestjs-leader-election': own, ...others } = readManifest(SAMPLE).dependencies;
    expect(own).toBe(`^${root.version}`);
    for (const [name, range] of Object.entries(others)) {
      expect([name, range]).toEqual([name, root.devDependencies[name]]);
    }
  });
});

/** js-yaml comes with jest; nothing else here needs a YAML parser. */
function readCompose(): ComposeFile {
  const yaml = createRequire(import.meta.url)('js-yaml') as { load(text: string): unknown };
  return yaml.load(readFileSync(join(SAMPLE, 'compose.yaml'), 'utf8')) as ComposeFile;
}

interface Manifest {
  readonly version: string;
  readonly dependencies: Record<string, string>;
  readonly devDependencies: Record<string, string>;
}

function readManifest(directory: string): Manifest {
  return JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as Manifest;
}
