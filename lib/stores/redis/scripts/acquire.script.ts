import { defineScript } from './script.js';
import { SERVER_NOW } from './server-now.js';

/**
 * Checks, grants, raises the epoch and writes the holder in one step (rules 5, 7, 13 to 16).
 *
 * KEYS[1] lease, KEYS[2] record
 * ARGV[1] tag, [2] holder, [3] attempt, [4] ttl ms, [5] floor, [6] hold-off: auto | always | never,
 * ARGV[7] node id, [8] metadata as JSON, [9] the longest ttl, in ms, that this candidate knows of
 *
 * Replies (every element is a string):
 *   tag, 'granted', notice, epoch
 *   tag, 'refused', notice, cause, wait ms, known epoch, ttl ms, holder, its epoch, its node id, its metadata
 * where notice is '' | hidden-identity | endless-lease, and cause is held | hold-off | vanished | outdated. The
 * holder is empty where the lease is free, its node id where another program wrote the lease.
 */
export const ACQUIRE = defineScript(
  'acquire',
  'granted',
  `
local tag, holder, attempt, ttl = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local floor, hold_off, longest_ttl = tonumber(ARGV[5]), ARGV[6], math.max(tonumber(ARGV[9]), record_ttl)
local notice = ''

local server, up, was_promoted = server_now()
if server == 'hidden' then notice = 'hidden-identity' end

-- The clock was set back: the lease of a dead leader must not last until it has caught up.
if tonumber(record.expiresAt or 0) > now + record_ttl then
  record.expiresAt = text(now + record_ttl)
  redis.call('HSET', KEYS[2], 'expiresAt', record.expiresAt)
  if record.holder == lease_holder then redis.call('PEXPIREAT', KEYS[1], record.expiresAt) end
end

local changed = record.server ~= server or record_epoch < floor or record.holdOffServer == server
local wait = 0
if changed and hold_off ~= 'never' then
  if hold_off == 'auto' and not has_record and floor == 0 and server ~= 'hidden' and not was_promoted then
    wait = math.max(0, longest_ttl - up)
  else
    -- Since when, and how long: the longest lease that anybody knows of must have run out.
    local since = tonumber(record.holdOffSince or 0)
    local length = longest_ttl
    if record.holdOffServer ~= server or since > now then
      since = now
    else
      length = math.max(length, tonumber(record.holdOffMs or 0))
    end
    redis.call('HSET', KEYS[2], 'holdOffServer', server, 'holdOffSince', text(since), 'holdOffMs', text(length))
    wait = math.max(0, since + length - now)
  end
end

local cause = 'hold-off'
if lease and lease_holder ~= holder then
  cause = 'held'
  local left = redis.call('PTTL', KEYS[1])
  if left < 0 then
    notice = 'endless-lease'
    left = ttl
  end
  wait = math.max(wait, left)
elseif lease then
  if tonumber(record.attempt or 0) > attempt then cause = 'outdated' end
else
  local vanished = tonumber(record.expiresAt or 0) - now
  if vanished > wait then
    wait = vanished
    cause = 'vanished'
  end
end

if wait > 0 or cause ~= 'hold-off' then
  return { tag, 'refused', notice, cause, text(wait), text(known_epoch), text(record_ttl), describe_leader() }
end

local epoch = math.max(known_epoch, floor) + 1
if changed then epoch = math.max(epoch, now) end
local ends = text(now + ttl)
redis.call('HSET', KEYS[2], 'epoch', text(epoch), 'server', server, 'expiresAt', ends, 'ttl', text(ttl),
  'holder', holder, 'attempt', text(attempt), 'nodeId', ARGV[7], 'metadata', ARGV[8], 'since', text(now))
redis.call('HDEL', KEYS[2], 'holdOffServer', 'holdOffSince', 'holdOffMs')
redis.call('SET', KEYS[1], holder .. '|' .. text(epoch), 'PXAT', ends)
return { tag, 'granted', notice, text(epoch) }
`,
  SERVER_NOW,
);
