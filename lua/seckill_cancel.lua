-- Seckill, the way back: take a user out of the buyers and give one item back, once.
-- Whoever calls it again, or never bought, changes nothing.
--
-- KEYS[1] stock (string): items left; no key, no sale
-- KEYS[2] buyers (set): users who have bought
-- ARGV[1] user: who gives back
-- Reply code: 1 given back, 0 nothing to give back (not a buyer, or not on sale)
-- Always: stock + SCARD(buyers) stays what it was before the call.

local stock_key, buyers_key = KEYS[1], KEYS[2]
local user = ARGV[1]

if not user or user == "" then
  return redis.error_reply("ERR user must not be empty")
end

local bought = redis.call("SISMEMBER", buyers_key, user)
local stock = redis.call("GET", stock_key)

if not stock or bought == 0 then
  return 0
end
-- INCR takes no leading zero, and the sum has to stay exact: one below 2^53 - 1 at most.
local whole = stock == "0" or string.find(stock, "^[1-9]%d*$")
if not whole or tonumber(stock) > 9007199254740990 then
  return redis.error_reply("ERR stock must be a whole number of at least 0, below 2^53 - 1")
end

-- SREM goes first: it is allowed when the memory is full, and INCR follows it then.
redis.call("SREM", buyers_key, user)
redis.call("INCR", stock_key)

return 1
