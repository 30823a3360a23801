-- Seckill: sell one item to one user while the stock lasts, and never a second one to the same user.
-- The user is looked up before the stock is touched, so a second press costs nothing.
--
-- KEYS[1] stock (string): items left; no key, no sale
-- KEYS[2] buyers (set): users who have bought
-- ARGV[1] user: who presses
-- Reply code: 1 bought, 0 sold out, -1 already bought, -2 not on sale
-- Always: stock + SCARD(buyers) stays what it was before the call.

local stock_key, buyers_key = KEYS[1], KEYS[2]
local user = ARGV[1]

if not user or user == "" then
  return redis.error_reply("ERR user must not be empty")
end

-- Both reads come before the first write: a key of the wrong type fails here, with nothing changed.
local already = redis.call("SISMEMBER", buyers_key, user)
local stock = redis.call("GET", stock_key)

if already == 1 then
  return -1
end
if not stock then
  return -2
end
if stock == "0" then
  return 0
end
-- DECR takes no leading zero, and counts beyond 2^53 - 1 are not exact in Lua.
if not string.find(stock, "^[1-9]%d*$") or tonumber(stock) > 9007199254740991 then
  return redis.error_reply("ERR stock must be a whole number of at least 0, at most 2^53 - 1")
end

redis.call("DECR", stock_key)
redis.call("SADD", buyers_key, user)

return 1
