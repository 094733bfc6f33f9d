import { createHash } from 'node:crypto';

/** A Lua script, known to the server by its hash. It answers several requests, about different elections, at once. */
export interface RedisScript {
  readonly name: string;
  readonly source: string;
  readonly sha: string;
  /** The outcome that has changed the lease; null for a script that never does. */
  readonly yes: string | null;
}

/**
 * What every request has: `KEYS[1]` the lease, `KEYS[2]` the record, `ARGV[1]` a tag that comes back as the first
 * element of the reply, so that a reply which belongs to another request is never read as this one's.
 */
const PREAMBLE = `
local lease = redis.call('GET', KEYS[1])
local lease_holder, lease_epoch = false, 0
if lease then
  local holder, epoch = string.match(lease, '^(.*)|(%d+)$')
  lease_holder, lease_epoch = holder or lease, tonumber(epoch or 0)
end
local record = {}
do
  local flat = redis.call('HGETALL', KEYS[2])
  for i = 1, #flat, 2 do record[flat[i]] = flat[i + 1] end
end
local has_record = next(record) ~= nil
local record_epoch = tonumber(record.epoch or 0)
local record_ttl = tonumber(record.ttl or 0)
local known_epoch = math.max(record_epoch, lease_epoch)
-- Granted to this holder with this epoch, or by this attempt, which got another one in a quorum's second round.
local function lease_is_of(holder, epoch, attempt)
  if not lease or lease_holder ~= holder then return false end
  return lease_epoch == epoch or (record.holder == holder and record.attempt == attempt)
end
local function describe_leader()
  local mine = lease and record.holder == lease_holder
  return lease_holder or '', text(lease_epoch), mine and record.nodeId or '', mine and record.metadata or ''
end
`;

/**
 * Makes a script of what answers one request. The keys and the arguments of the requests follow one another, each with
 * as many as the next; the reply is a list with one reply, or one error, for each. None of them touches another.
 */
export function defineScript(
  name: string,
  yes: string | null,
  body: string,
  /** What all of its requests share. */
  shared = '',
): RedisScript {
  const source = `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local function text(number) return string.format('%.0f', number) end
${shared}
local function answer(KEYS, ARGV)${PREAMBLE}${body}end

local replies, requests = {}, #KEYS / 2
local each = #ARGV / requests
for i = 1, requests do
  local keys, arguments = { KEYS[2 * i - 1], KEYS[2 * i] }, { unpack(ARGV, (i - 1) * each + 1, i * each) }
  local succeeded, reply = pcall(answer, keys, arguments)
  -- Redis 7 raises a table, and those before it a text.
  if not succeeded then reply = { err = type(reply) == 'table' and reply.err or 'ERR ' .. tostring(reply) } end
  replies[i] = reply
end
return replies
`;
  return { name, source, sha: createHash('sha1').update(source).digest('hex'), yes };
}
