/** Elections of this library, without Nest's container: what `forFeature` makes, made by the same factory. */
import { ElectionFactory } from '../../../lib/election-factory.js';
import type { ElectionListener } from '../../../lib/index.js';
import { resolveTiming } from '../../../lib/options/timing.js';
import { OURS } from '../../ours.js';
import type { Holder, HolderOptions } from './holder.interface.js';
import { quietLogger } from './quiet-logger.js';

export const elections: Holder = {
  id: OURS,
  driven: 'as many elections as `forFeature` names, by the factory behind it, without Nest modules',
  periodMs: (leaseTtlMs) => resolveTiming({ leaseTtlMs }).renewIntervalMs,
  open(options) {
    quietLogger();
    const { url, ttlMs, prefix } = options;
    const factory = new ElectionFactory({
      redis: url,
      name: `${prefix}first`,
      leaseTtlMs: ttlMs,
      events: listenerOf(options),
    });
    factory.start();
    return Promise.resolve((count) => {
      for (let index = 0; index < count; index += 1) factory.feature({ name: `${prefix}${index}` });
      return Promise.resolve();
    });
  },
};

/** Tells the log; the first election, which no number names, is not counted. */
export function listenerOf({ prefix, log }: HolderOptions): ElectionListener {
  const indexOf = (election: string): number => Number(election.slice(prefix.length));
  const first = `${prefix}first`;
  return {
    granted: ({ election, latencyMs }) => {
      if (election !== first) log.granted(indexOf(election), latencyMs);
    },
    renewed: ({ election, latencyMs }) => {
      if (election !== first) log.renewed(indexOf(election), latencyMs);
    },
    ended: ({ election }) => {
      if (election !== first) log.ended();
    },
  };
}
