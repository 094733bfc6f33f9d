import { defineScript } from './script.js';

/**
 * Deletes the lease where it is exactly this holder's, of this epoch or attempt, and wakes whoever waits for it
 * (rule 19), unless the epoch is 0. The channel has the name of the lease key. Where the record cannot be written or
 * nothing be published, the others find out by themselves, a little later.
 *
 * KEYS[1] lease, KEYS[2] record
 * ARGV[1] tag, [2] holder, [3] epoch, [4] attempt
 *
 * Replies (every element is a string):
 *   tag, 'released' | 'not-yours'
 */
export const RELEASE = defineScript(
  'release',
  'released',
  `
local tag, holder, epoch = ARGV[1], ARGV[2], tonumber(ARGV[3])
if not lease_is_of(holder, epoch, ARGV[4]) then
  return { tag, 'not-yours' }
end
redis.call('DEL', KEYS[1])
redis.pcall('HSET', KEYS[2], 'expiresAt', '0')
if epoch > 0 then redis.pcall('PUBLISH', KEYS[1], 'released') end
return { tag, 'released' }
`,
);
