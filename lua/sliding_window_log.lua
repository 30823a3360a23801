-- Sliding window log: let a press in while the last window_ms hold at most the limit.
-- Every press that was let in is remembered with its time; a press exactly one window
-- old has left: the window is (now - window_ms, now].
--
-- KEYS[1] log (sorted set): press_id#1 .. press_id#cost, scored by when they came
-- ARGV[1] limit: presses that any window lets in; 0 lets nobody in
-- ARGV[2] window_ms: length of the window, milliseconds, at least 1
-- ARGV[3] press_id: name of this press; while it is in the window, the same press again
--         is let in and not counted again, whatever its cost
-- ARGV[4] cost = 1: how many presses this one weighs, at least 1
-- ARGV[5] now_ms = 0: the caller's clock, milliseconds; 0 asks the server's
-- Reply[1] allowed: 1 let in, 0 refused
-- Reply[2] remaining: single presses that would still be let in now
-- Reply[3] retry_after_ms: 0 when let in; else the wait, or -1 if it can never be let in
-- Always: after a new press is let in, the log holds what is inside the window and no more.

-- Whole numbers up to 2^52: the sum of any two is exact as well.
local wrong
local function whole(name, text, least)
  local number = text and text:find('^%d+$') and text + 0
  if number and number >= least and number <= 2 ^ 52 then return number end
  wrong = wrong or ('ERR %s must be a whole number from %d to 2^52'):format(name, least)
end

local log, press_id = KEYS[1], ARGV[3]
local limit = whole('limit', ARGV[1], 0)
local window_ms = whole('window_ms', ARGV[2], 1)
if not press_id or press_id == '' then
  wrong = wrong or 'ERR press_id must not be empty'
end
local cost = ARGV[4] and whole('cost', ARGV[4], 1) or 1
local now_ms = ARGV[5] and whole('now_ms', ARGV[5], 0) or 0
if wrong then return redis.error_reply(wrong) end
if now_ms == 0 then
  local time = redis.call('TIME')
  now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
end

local newest = redis.pcall('ZRANGE', log, '-1', '-1', 'WITHSCORES')
if newest.err then
  return redis.error_reply(newest.err .. ': log must be a sorted set')
end
-- A clock that steps back stands still until it has caught up.
local at_ms = math.max(now_ms, whole('newest score in log', newest[2] or '0', 0) or 0)
if wrong then return redis.error_reply(wrong) end
local edge_ms = at_ms - window_ms
local inside = redis.call('ZCOUNT', log, ('(%d'):format(edge_ms), '+inf')

local seen_ms = redis.call('ZSCORE', log, press_id .. '#1')
if seen_ms and tonumber(seen_ms) > edge_ms then
  return {1, math.max(0, limit - inside), 0}
end

if inside + cost > limit then
  local remaining = math.max(0, limit - inside)
  if cost > limit then return {0, remaining, -1} end
  -- The last one in the way: when it has left, limit - cost are inside.
  local place = cost - limit - 1
  local blocker = redis.call('ZRANGE', log, place, place, 'WITHSCORES')
  return {0, remaining, blocker[2] + window_ms - now_ms}
end

redis.call('ZREMRANGEBYSCORE', log, '-inf', edge_ms)
for first = 1, cost, 1000 do -- unpack takes some 8,000 values at most
  local entries = {}
  for part = first, math.min(first + 999, cost) do
    entries[#entries + 1] = at_ms
    entries[#entries + 1] = press_id .. '#' .. part
  end
  redis.call('ZADD', log, unpack(entries))
end
local matters_ms = at_ms - now_ms + window_ms
redis.call('PEXPIRE', log, ('%d'):format(matters_ms + 1000))
return {1, limit - inside - cost, 0}
