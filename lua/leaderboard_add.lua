-- Leaderboard: add an event's points to a member's day and week, and never a second time.
-- The three keys change in one step, so no crash leaves an event counted on one board only.
-- What is remembered lives as long as the longer board: no redelivery can outlive it.
--
-- KEYS[1] day (sorted set): members of one day's board by their points
-- KEYS[2] week (sorted set): members of that week's board by their points
-- KEYS[3] counted (set): events of that day which the boards already hold
-- ARGV[1] member: whose points these are
-- ARGV[2] points: whole points to add, below 0 to take some off again
-- ARGV[3] event_id: this event's own name; a name seen before adds nothing
-- ARGV[4] day_ttl_s: life of a new day board, seconds, at least 1
-- ARGV[5] week_ttl_s: life of a new week board, seconds, at least 1
-- Reply[1] score: the member's points on the day board now
-- Reply[2] rank: 1 + how many members have more; equal points share it; 0 not on the board
-- Always: a score is the sum of its counted points, within +-2^53; every key has an end.
local wrong -- what to say about the first bad argument
local function whole(name, text, least)
  local number = text and text:find('^%-?%d+$') and tonumber(text)
  if number and number >= least and number < 2 ^ 53 then return number end
  wrong = wrong or ('ERR %s must be a whole number from %d to 2^53 - 1'):format(name, least)
end
local function named(name, text)
  if text and text ~= '' then return text end
  wrong = wrong or ('ERR %s must not be empty'):format(name)
end

local day, week, counted = KEYS[1], KEYS[2], KEYS[3]
local member = named('member', ARGV[1])
local points = whole('points', ARGV[2], 1 - 2 ^ 53)
local event_id = named('event_id', ARGV[3])
local day_ttl_s = whole('day_ttl_s', ARGV[4], 1)
local week_ttl_s = whole('week_ttl_s', ARGV[5], 1)
if wrong then return redis.error_reply(wrong) end

-- Everything is read and checked before the first write: a refusal changes nothing.
local function read(name, kind, command, key, what)
  local reply = redis.pcall(command, key, what)
  if type(reply) ~= 'table' then return reply end
  wrong = wrong or ('%s: %s must be a %s'):format(reply.err, name, kind)
end
local day_text = read('day', 'sorted set', 'ZSCORE', day, member)
local week_text = read('week', 'sorted set', 'ZSCORE', week, member)
local seen = read('counted', 'set', 'SISMEMBER', counted, event_id)
if wrong then return redis.error_reply(wrong) end

local function sum(name, text)
  local stored = tonumber(text or '0')
  local total = stored + (seen == 1 and 0 or points)
  local largest = math.max(math.abs(stored), math.abs(total))
  if stored % 1 == 0 and largest < 2 ^ 53 then return total end
  wrong = wrong or ('ERR %s score would leave the whole numbers below 2^53'):format(name)
end
local day_score, week_score = sum('day', day_text), sum('week', week_text)
if wrong then return redis.error_reply(wrong) end

local function give_life(key, ttl_s)
  if redis.call('TTL', key) == -1 then redis.call('EXPIRE', key, ttl_s) end
end
if seen == 0 then
  redis.call('SADD', counted, event_id)
  redis.call('ZADD', day, day_score, member)
  redis.call('ZADD', week, week_score, member)
  give_life(day, day_ttl_s)
  give_life(week, week_ttl_s)
  give_life(counted, math.max(day_ttl_s, week_ttl_s))
elseif not day_text then
  return {0, 0}
end
return {day_score, redis.call('ZCOUNT', day, ('(%.0f'):format(day_score), '+inf') + 1}
