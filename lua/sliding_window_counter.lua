-- Sliding window counter: let a press in while
-- previous x left + (current + cost) x window_ms <= limit x window_ms:
-- this window's count, and last window's in proportion to what is left of this one.
--
-- KEYS[1] counts (string): "start_ms previous current" of a window aligned to the clock
-- ARGV[1] limit: presses that a window lets in, about; 0 lets nobody in
-- ARGV[2] window_ms: length of a window, milliseconds, at least 1
-- ARGV[3] cost = 1: how many presses this one weighs, at least 1
-- ARGV[4] now_ms = 0: the caller's clock, milliseconds; 0 asks the server's
-- Reply[1] allowed: 1 let in, 0 refused
-- Reply[2] remaining: single presses that would still be let in now
-- Reply[3] retry_after_ms: 0 when let in; else the wait, or -1 if it can never be let in
-- Always: after a press is let in, the rule above holds with cost 0.

-- Whole numbers up to 2^52: the sum of any two is exact as well.
local wrong
local function whole(name, text, least)
  local number = text and text:find('^%d+$') and text + 0
  if number and number >= least and number <= 2 ^ 52 then return number end
  wrong = wrong or ('ERR %s must be a whole number from %d to 2^52'):format(name, least)
end

local counts = KEYS[1]
local limit = whole('limit', ARGV[1], 0)
local window_ms = whole('window_ms', ARGV[2], 1)
local cost = ARGV[3] and whole('cost', ARGV[3], 1) or 1
local now_ms = ARGV[4] and whole('now_ms', ARGV[4], 0) or 0
if not wrong and limit * window_ms > 2 ^ 52 then
  wrong = 'ERR limit x window_ms must be at most 2^52'
end
if wrong then return redis.error_reply(wrong) end
if now_ms == 0 then
  local time = redis.call('TIME')
  now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
end

local stored = redis.pcall('GET', counts)
if type(stored) == 'table' then
  return redis.error_reply(stored.err .. ': counts must be a string')
end
local stored_ms, previous, current = (stored or '0 0 0'):match('^(%d+) (%d+) (%d+)$')
if not stored_ms then
  return redis.error_reply('ERR counts must hold "start_ms previous current"')
end
stored_ms, previous, current = stored_ms + 0, previous + 0, current + 0

-- A clock that steps back stands still at the start of the stored window.
local start_ms = math.max(now_ms - now_ms % window_ms, stored_ms)
local age_ms = start_ms - stored_ms
if age_ms > 0 then
  previous, current = age_ms < 2 * window_ms and current or 0, 0
end
local at_ms = math.max(now_ms, start_ms)
local left_ms = start_ms + window_ms - at_ms
local share = math.ceil(previous * left_ms / window_ms) -- of the limit

if share + current + cost > limit then
  local remaining = math.max(0, limit - share - current)
  if cost > limit then return {0, remaining, -1} end
  -- In this window the previous count must shrink to the room there is; if that cannot
  -- be, in the next one today's current count is the previous and must shrink.
  local room = limit - current - cost
  local fits_ms = room > 0 and math.floor(room * window_ms / previous) or 0
  if fits_ms > 0 then return {0, remaining, start_ms + window_ms - fits_ms - now_ms} end
  fits_ms = current > 0 and math.floor((limit - cost) * window_ms / current) or window_ms
  return {0, remaining, start_ms + 2 * window_ms - math.min(window_ms, fits_ms) - now_ms}
end

current = current + cost
local state = ('%d %d %d'):format(start_ms, previous, current)
local matters_ms = start_ms + 2 * window_ms - now_ms
redis.call('SET', counts, state, 'PX', ('%d'):format(matters_ms + 1000))
return {1, limit - share - current, 0}
