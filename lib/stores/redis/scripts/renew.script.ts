import { defineScript } from './script.js';

/**
 * Extends the lease where it is exactly this holder's and epoch's; never re-creates one that expired (rule 9), except
 * where the server has lost the data of this leadership (rule 12). Then the record's server stays empty, which tells
 * the next acquire that something was lost here.
 *
 * At maxmemory PEXPIREAT works while HSET fails: what concerns the record of a standing lease is best effort.
 *
 * KEYS[1] lease, KEYS[2] record
 * ARGV[1] tag, [2] holder, [3] attempt, [4] ttl ms, [5] epoch, [6] node id, [7] metadata as JSON
 *
 * Replies (every element is a string):
 *   tag, 'renewed'
 *   tag, 'taken' | 'gone', known epoch
 */
export const RENEW = defineScript(
  'renew',
  'renewed',
  `
local tag, holder, ttl, epoch = ARGV[1], ARGV[2], tonumber(ARGV[4]), tonumber(ARGV[5])
local mine = lease_is_of(holder, epoch, ARGV[3])
local data_lost = record_epoch < epoch
if not mine and (lease or not data_lost) then
  local because = 'taken'
  if not lease and known_epoch <= epoch then because = 'gone' end
  return { tag, because, text(known_epoch) }
end

local ends = text(now + ttl)
if mine and lease_epoch == epoch then
  redis.call('PEXPIREAT', KEYS[1], ends)
else
  redis.call('SET', KEYS[1], holder .. '|' .. ARGV[5], 'PXAT', ends)
end
if data_lost then
  redis.pcall('HSET', KEYS[2], 'epoch', ARGV[5], 'server', '', 'expiresAt', ends, 'ttl', text(ttl),
    'holder', holder, 'attempt', ARGV[3], 'nodeId', ARGV[6], 'metadata', ARGV[7], 'since', text(now))
else
  redis.pcall('HSET', KEYS[2], 'expiresAt', ends, 'ttl', text(ttl))
end
return { tag, 'renewed' }
`,
);
