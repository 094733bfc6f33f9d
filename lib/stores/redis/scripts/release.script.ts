import { defineScript } from './script.js';

/**
 * Deletes the lease where it is exactly this holder's and epoch's, and wakes whoever waits for it (rule 19). The
 * channel has the name of the lease key. Where the record cannot be written or nothing be published, the others
 * find out by themselves, a little later.
 *
 * KEYS[1] lease, KEYS[2] record
 * ARGV[1] tag, [2] holder, [3] epoch
 *
 * Replies (every element is a string):
 *   tag, 'released' | 'not-yours'
 */
export const RELEASE = defineScript(
  'release',
  `
local tag, holder, epoch = ARGV[1], ARGV[2], tonumber(ARGV[3])
if not lease or lease_holder ~= holder or lease_epoch ~= epoch then
  return { tag, 'not-yours' }
end
redis.call('DEL', KEYS[1])
redis.pcall('HSET', KEYS[2], 'expiresAt', '0')
redis.pcall('PUBLISH', KEYS[1], 'released')
return { tag, 'released' }
`,
);
