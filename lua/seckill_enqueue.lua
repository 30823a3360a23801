-- Seckill with a queue: sell one item to one user, and queue the order in the same step.
-- No crash can fall between the two, so every buyer's order is in the stream.
--
-- KEYS[1] stock (string): items left; no key, not on sale
-- KEYS[2] buyers (set): users who have bought
-- KEYS[3] orders (stream): one entry a purchase, with the fields user and sku
-- ARGV[1] user: who presses
-- ARGV[2] sku: what is sold; the entry carries it to the consumer
-- Reply[1] code: 1 bought, 0 sold out, -1 already bought, -2 not on sale
-- Reply[2] entry_id: the order's id in the stream; empty unless bought
-- Always: stock + SCARD(buyers) is what it was before, and a new buyer has one new entry.
local stock_key, buyers_key, orders_key = KEYS[1], KEYS[2], KEYS[3]
local user, sku = ARGV[1], ARGV[2]
if not user or user == '' then return redis.error_reply('ERR user must not be empty') end
if not sku or sku == '' then return redis.error_reply('ERR sku must not be empty') end

-- Everything is read and checked before the first write: a refusal changes nothing.
local already = redis.pcall('SISMEMBER', buyers_key, user)
if type(already) == 'table' then
  return redis.error_reply(already.err .. ' (buyers, a set)')
end
local stock = redis.pcall('GET', stock_key)
if type(stock) == 'table' then
  return redis.error_reply(stock.err .. ' (stock, a string)')
end

if already == 1 then return {-1, ''} end
if not stock then return {-2, ''} end
if stock == '0' then return {0, ''} end
-- DECR takes no leading zero, and no sum beyond 2^53 - 1 would be exact in Lua.
if not stock:find('^[1-9]%d*$') or tonumber(stock) >= 2 ^ 53 then
  return redis.error_reply('ERR stock must be a whole number from 0 to 2^53 - 1')
end

-- XADD goes first: it alone can still refuse, and before the first write nothing has changed.
local entry_id = redis.pcall('XADD', orders_key, '*', 'user', user, 'sku', sku)
if type(entry_id) == 'table' then
  return redis.error_reply(entry_id.err .. ' (orders, a stream)')
end
redis.call('DECR', stock_key)
redis.call('SADD', buyers_key, user)
return {1, entry_id}
