/**
 * Lua: `server_now()` tells which server this is, how long it is up in ms, and whether it has been a replica. Looked up
 * once, however many requests a script answers: INFO costs more than all the rest.
 */
export const SERVER_NOW = `
local function field(info, name, pattern)
  local _, last = string.find(info, name .. ':', 1, true)
  return last and string.match(info, '^' .. pattern, last + 1)
end

local server, up, was_promoted
local function server_now()
  if server then return server, up, was_promoted end
  server, up, was_promoted = 'hidden', 0, false
  local info = redis.pcall('INFO', 'server')
  local run_id = type(info) == 'string' and field(info, 'run_id', '%w+')
  if run_id then
    -- The run id changes with each restart, the replication id with each promotion: a primary that was demoted and
    -- then promoted again is another server, since it may lack what was granted meanwhile.
    local replication = redis.pcall('INFO', 'replication')
    if type(replication) ~= 'string' then replication = '' end
    local promotion = field(replication, 'master_replid', '%w+')
    server = run_id .. ':' .. (promotion or '')
    -- It has been a replica: how long it is up says nothing of what it may lack.
    was_promoted = field(replication, 'second_repl_offset', '%-1') == nil
    -- Between two times in whole seconds, both cut off: at least so long, and less than a second longer.
    up = (tonumber(field(info, 'uptime_in_seconds', '%d+') or 0) - 1) * 1000 + now % 1000
  end
  return server, up, was_promoted
end
`;
