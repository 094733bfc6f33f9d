import { defineScript } from './script.js';

/**
 * The second round of a quorum: gives a lease that is still this attempt's the epoch of the whole quorum. Its end
 * stays. A higher epoch, which this server granted too late to be counted, stays known.
 *
 * KEYS[1] lease, KEYS[2] record
 * ARGV[1] tag, [2] holder, [3] attempt, [4] epoch
 *
 * Replies (every element is a string):
 *   tag, 'raised' | 'not-yours'
 */
export const RAISE_EPOCH = defineScript(
  'raiseEpoch',
  'raised',
  `
local tag, holder, epoch = ARGV[1], ARGV[2], tonumber(ARGV[4])
-- By the attempt alone: another one of this holder may have come to the same epoch.
if not lease_is_of(holder, -1, ARGV[3]) then
  return { tag, 'not-yours' }
end
redis.call('HSET', KEYS[2], 'epoch', text(math.max(epoch, record_epoch)))
redis.call('SET', KEYS[1], holder .. '|' .. text(epoch), 'KEEPTTL')
return { tag, 'raised' }
`,
);
