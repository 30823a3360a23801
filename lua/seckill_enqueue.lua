-- Seckill with a queue: sell one item to one user, and put the order into a stream in the same step.
-- There is no moment at which the stock is gone and the order is not written yet.
--
-- KEYS[1] stock (string): items left; no key, no sale
-- KEYS[2] buyers (set): users who have bought
-- KEYS[3] orders (stream): one entry per purchase, fields user and sku
-- ARGV[1] user: who presses
-- ARGV[2] sku: what is sold; the entry carries it to the consumer
-- Reply[1] code: 1 bought, 0 sold out, -1 already bought, -2 not on sale
-- Reply[2] entry_id: the id of the order in the stream; "" unless bought
-- Always: stock + SCARD(buyers) stays what it was, and each new buyer has one new entry.

local stock_key, buyers_key, orders_key = KEYS[1], KEYS[2], KEYS[3]
local user, sku = ARGV[1], ARGV[2]

if not user or user == "" then
  return redis.error_reply("ERR user must not be empty")
end
if not sku or sku == "" then
  return redis.error_reply("ERR sku must not be empty")
end

local already = redis.call("SISMEMBER", buyers_key, user)
local stock = redis.call("GET", stock_key)

if already == 1 then
  return { -1, "" }
end
if not stock then
  return { -2, "" }
end
if stock == "0" then
  return { 0, "" }
end
-- DECR takes no leading zero, and counts beyond 2^53 - 1 are not exact in Lua.
if not string.find(stock, "^[1-9]%d*$") or tonumber(stock) > 9007199254740991 then
  return redis.error_reply("ERR stock must be a whole number of at least 0, at most 2^53 - 1")
end

-- XADD goes first. It is the one write that could still refuse (orders of another type), and when
-- the first write refuses, nothing has changed. The other two keys were read above.
local entry_id = redis.call("XADD", orders_key, "*", "user", user, "sku", sku)
redis.call("DECR", stock_key)
redis.call("SADD", buyers_key, user)

return { 1, entry_id }
