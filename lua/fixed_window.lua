-- Fixed window: let a press in while the counter of this window stays within the limit.
-- The first press opens the window; the counter's own time to live closes it.
-- With the window's number in the key's name, windows follow the clock instead.
--
-- KEYS[1] counter (string): presses let in since the window opened
-- ARGV[1] limit: presses that one window lets in; 0 lets nobody in
-- ARGV[2] window_ms: length of a window, milliseconds, at least 1
-- ARGV[3] cost = 1: how many presses this one weighs, at least 1
-- Reply[1] allowed: 1 let in, 0 refused
-- Reply[2] remaining: single presses that would still be let in now
-- Reply[3] retry_after_ms: 0 when let in; else the wait, or -1 if it can never be let in
-- Always: after a press is let in, counter <= limit and the counter has an end.

-- Whole numbers up to 2^52: the sum of any two is exact as well.
local wrong
local function whole(name, text, least)
  local number = text and text:find('^%d+$') and text + 0
  if number and number >= least and number <= 2 ^ 52 then return number end
  wrong = wrong or ('ERR %s must be a whole number from %d to 2^52'):format(name, least)
end

local counter = KEYS[1]
local limit = whole('limit', ARGV[1], 0)
local window_ms = whole('window_ms', ARGV[2], 1)
local cost = ARGV[3] and whole('cost', ARGV[3], 1) or 1
if wrong then return redis.error_reply(wrong) end

local stored = redis.pcall('GET', counter)
if type(stored) == 'table' then
  return redis.error_reply(stored.err .. ': counter must be a string')
end
local used = whole('counter', stored or '0', 0)
if wrong then return redis.error_reply(wrong) end
local life_ms = redis.call('PTTL', counter)

local allowed = used + cost <= limit
local endless = life_ms == -1 -- 0 is an end too: leave it alone

if allowed and not stored then
  redis.call('SET', counter, cost, 'PX', window_ms)
elseif allowed and cost == 1 then -- the usual press; INCR is the cheaper command
  redis.call('INCR', counter)
elseif allowed then
  redis.call('INCRBY', counter, ('%d'):format(cost))
end
if endless then
  redis.call('PEXPIRE', counter, window_ms)
  life_ms = window_ms
end

if allowed then return {1, limit - used - cost, 0} end
local remaining = math.max(0, limit - used)
if cost > limit then return {0, remaining, -1} end
-- A key at PTTL 0 still stands for one millisecond more.
return {0, remaining, life_ms + 1}
