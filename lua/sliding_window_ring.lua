-- Sliding window ring: let a press in while the last window_ms hold at most the limit.
-- The verdicts of the log, from a plain list of times, newest first: a few bytes a press.
--
-- KEYS[1] ring (list): when each press came that was let in, newest first
-- ARGV[1] limit: presses that any window lets in; 0 lets nobody in
-- ARGV[2] window_ms: length of the window, milliseconds, at least 1
-- ARGV[3] cost = 1: how many presses this one weighs, at least 1
-- ARGV[4] now_ms = 0: the caller's clock, milliseconds; 0 asks the server's
-- Reply[1] allowed: 1 let in, 0 refused
-- Reply[2] remaining: single presses that would still be let in now
-- Reply[3] retry_after_ms: 0 when let in; else the wait, or -1 if it can never be let in
-- Always: after a press is let in, the ring holds what is inside the window and no more.

-- Whole numbers up to 2^52: the sum of any two is exact as well.
local wrong
local function whole(name, text, least)
  local number = text and text:find('^%d+$') and text + 0
  if number and number >= least and number <= 2 ^ 52 then return number end
  wrong = wrong or ('ERR %s must be a whole number from %d to 2^52'):format(name, least)
end

local ring = KEYS[1]
local limit = whole('limit', ARGV[1], 0)
local window_ms = whole('window_ms', ARGV[2], 1)
local cost = ARGV[3] and whole('cost', ARGV[3], 1) or 1
local now_ms = ARGV[4] and whole('now_ms', ARGV[4], 0) or 0
if wrong then return redis.error_reply(wrong) end
if now_ms == 0 then
  local time = redis.call('TIME')
  now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
end

local held = redis.pcall('LLEN', ring)
if type(held) == 'table' then
  return redis.error_reply(held.err .. ': ring must be a list')
end
-- A clock that steps back stands still until it has caught up.
local newest_ms = held > 0 and redis.call('LINDEX', ring, '0') or '0'
local at_ms = math.max(now_ms, whole('newest time in ring', newest_ms, 0) or 0)
if wrong then return redis.error_reply(wrong) end

-- How many at the old end have left? Ask for 1, 2, 4 ... more until too many, then halve.
local edge_ms = at_ms - window_ms
local left, step, growing = 0, 1, true
while step >= 1 do
  local oldest = left + step
  local place = ('%d'):format(-oldest)
  if oldest <= held and redis.call('LINDEX', ring, place) + 0 <= edge_ms then
    left = oldest
  else
    growing = false
  end
  step = growing and step * 2 or math.floor(step / 2)
end
local inside = held - left

if inside + cost > limit then
  local remaining = math.max(0, limit - inside)
  if cost > limit then return {0, remaining, -1} end
  -- The last one in the way: when it has left, limit - cost are inside.
  local blocker_ms = redis.call('LINDEX', ring, limit - cost)
  return {0, remaining, blocker_ms + window_ms - now_ms}
end

if left > 0 then redis.call('LTRIM', ring, 0, -left - 1) end
local stamp = ('%d'):format(at_ms)
for _ = 1, cost do redis.call('LPUSH', ring, stamp) end
local matters_ms = at_ms - now_ms + window_ms
redis.call('PEXPIRE', ring, ('%d'):format(matters_ms + 1000))
return {1, limit - inside - cost, 0}
