-- GCRA: let a press in if it comes no earlier than its due time; each press moves the
-- theoretical arrival time of the next on by its cost. The token bucket's verdicts from one
-- time: the arrival is when the bucket would be full again.
-- A token is refill_period_ms drops and refill_count drops fall each millisecond:
-- whole numbers, so that no part of a token is ever lost.
--
-- KEYS[1] arrival (string): "arrival_ms drops", that time and the drops still to fall then
-- ARGV[1] capacity: tokens that a full bucket would hold; 0 lets nobody in
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

local arrival = KEYS[1]
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

local stored = redis.pcall('GET', arrival)
if type(stored) == 'table' then
  return redis.error_reply(stored.err .. ': arrival must be a string')
end
local arrival_ms, drops = now_ms, 0 -- nothing owed: as if it were full
if stored then
  local stored_ms, stored_drops = stored:match('^(%d+) (%d+)$')
  if not stored_ms then
    return redis.error_reply('ERR arrival must hold "arrival_ms drops"')
  end
  if stored_ms + 0 >= now_ms then
    -- Fewer drops than fall in a millisecond, also after the rate was lowered.
    arrival_ms = stored_ms + 0
    drops = math.min(stored_drops + 0, refill_count - 1)
  end
end

-- Never arrival_ms x refill_count: that product leaves 2^53. Only what is owed is.
local full, price = capacity * refill_period_ms, cost * refill_period_ms
local due_ms = arrival_ms - math.floor((full - price - drops) / refill_count)
local owed = (arrival_ms - now_ms) * refill_count + drops
if now_ms < due_ms then
  local remaining = math.max(0, math.floor((full - owed) / refill_period_ms))
  if cost > capacity then return {0, remaining, -1} end
  return {0, remaining, due_ms - now_ms}
end

owed = owed + price
drops = owed % refill_count
arrival_ms = now_ms + (owed - drops) / refill_count
local state = ('%d %d'):format(arrival_ms, drops)
local full_in_ms = math.ceil(owed / refill_count)
redis.call('SET', arrival, state, 'PX', ('%d'):format(full_in_ms + 1000))
return {1, math.floor((full - owed) / refill_period_ms), 0}
