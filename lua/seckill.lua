-- Seckill: sell one item to a user while the stock lasts, and never a second to the same.
-- Who has bought already hears so, whatever the stock, and takes nothing.
--
-- KEYS[1] stock (string): items left; no key, not on sale
-- KEYS[2] buyers (set): users who have bought
-- ARGV[1] user: who presses
-- Reply code: 1 bought, 0 sold out, -1 already bought, -2 not on sale
-- Always: stock + SCARD(buyers) is after the call what it was before.
local stock_key, buyers_key = KEYS[1], KEYS[2]
local user = ARGV[1]
if not user or user == '' then return redis.error_reply('ERR user must not be empty') end

-- Everything is read and checked before the first write: a refusal changes nothing.
local stock = redis.pcall('GET', stock_key)
if type(stock) == 'table' then
  return redis.error_reply(stock.err .. ' (stock, a string)')
end
local on_sale = stock and stock ~= '0'
-- DECR takes no leading zero, and no sum beyond 2^53 - 1 would be exact in Lua.
if on_sale and (not stock:find('^[1-9]%d*$') or tonumber(stock) >= 2 ^ 53) then
  return redis.error_reply('ERR stock must be a whole number from 0 to 2^53 - 1')
end

-- SADD asks and writes in one: 0 means that the user was in the set, and nothing is written.
local asked = redis.pcall(on_sale and 'SADD' or 'SISMEMBER', buyers_key, user)
if type(asked) == 'table' then
  return redis.error_reply(asked.err .. ' (buyers, a set)')
end
if not on_sale then
  if asked == 1 then return -1 end
  return stock and 0 or -2
end
if asked == 0 then return -1 end
redis.call('DECR', stock_key)
return 1
