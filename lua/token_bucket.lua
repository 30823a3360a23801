-- Token bucket: let a press in if the bucket holds its cost in tokens; tokens drip back,
-- refill_count in every refill_period_ms, until there are capacity of them.
-- A token is refill_period_ms drops and refill_count drops fall each millisecond:
-- whole numbers, so that no part of a token is ever lost.
--
-- KEYS[1] bucket (string): "tokens drops at_ms", what it held then; no key is a full one
-- ARGV[1] capacity: tokens that the bucket holds; 0 lets nobody in
-- ARGV[2] refill_count: tokens that drip back in one period, at least 1
-- ARGV[3] refill_period_ms: length of that period, milliseconds, at least 1
-- ARGV[4] cost = 1: tokens that this press takes, at least 1
-- ARGV[5] now_ms = 0: the caller's clock, milliseconds; 0 asks the server's
-- Reply[1] allowed: 1 let in, 0 refused
-- Reply[2] remaining: single presses that would still be let in now
-- Reply[3] retry_after_ms: 0 when let in; else the wait, or -1 if it can never be let in
-- Always: any w milliseconds let in at most capacity + w x refill_count / refill_period_ms.

-- Whole numbers up to 2^52: the sum of any two is exact as well.
local wrong
local function whole(name, text, least)
  local number = text and text:find('^%d+$') and text + 0
  if number and number >= least and number <= 2 ^ 52 then return number end
  wrong = wrong or ('ERR %s must be a whole number from %d to 2^52'):format(name, least)
end

local bucket = KEYS[1]
local capacity = whole('capacity', ARGV[1], 0)
local refill_count = whole('refill_count', ARGV[2], 1)
local refill_period_ms = whole('refill_period_ms', ARGV[3], 1)
local cost = ARGV[4] and whole('cost', ARGV[4], 1) or 1
local now_ms = ARGV[5] and whole('now_ms', ARGV[5], 0) or 0
if not wrong and capacity * refill_period_ms > 2 ^ 52 then
  wrong = 'ERR capacity x refill_period_ms must be at most 2^52'
end
if wrong then return redis.error_reply(wrong) end
if now_ms == 0 then
  local time = redis.call('TIME')
  now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
end

local stored = redis.pcall('GET', bucket)
if type(stored) == 'table' then
  return redis.error_reply(stored.err .. ': bucket must be a string')
end
local full = capacity * refill_period_ms
local level, at_ms = full, now_ms
if stored then
  local tokens, drops, stored_ms = stored:match('^(%d+) (%d+) (%d+)$')
  if not tokens then
    return redis.error_reply('ERR bucket must hold "tokens drops at_ms"')
  end
  -- A clock that steps back stands still until it has caught up.
  at_ms = math.max(now_ms, stored_ms + 0)
  -- Fewer drops than a token has, also after the period was shortened.
  drops = math.min(drops + 0, refill_period_ms - 1)
  level = tokens * refill_period_ms + drops + (at_ms - stored_ms) * refill_count
  if level > full then level = full end
end

local price = cost * refill_period_ms
if level < price then
  local remaining = math.floor(level / refill_period_ms)
  if cost > capacity then return {0, remaining, -1} end
  local wait_ms = math.ceil((price - level) / refill_count)
  return {0, remaining, at_ms - now_ms + wait_ms}
end

level = level - price
local drops = level % refill_period_ms
local tokens = (level - drops) / refill_period_ms
local state = ('%d %d %d'):format(tokens, drops, at_ms)
local full_in_ms = at_ms - now_ms + math.ceil((full - level) / refill_count)
redis.call('SET', bucket, state, 'PX', ('%d'):format(full_in_ms + 1000))
return {1, tokens, 0}
