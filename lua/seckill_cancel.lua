-- Seckill, the way back: take a user out of the buyers and give one item back, once.
-- Calling again, or without having bought, changes nothing.
--
-- KEYS[1] stock (string): items left; no key, not on sale
-- KEYS[2] buyers (set): users who have bought
-- ARGV[1] user: whose item goes back
-- Reply code: 1 given back, 0 nothing to give back (not a buyer, or not on sale)
-- Always: stock + SCARD(buyers) is after the call what it was before.
local stock_key, buyers_key = KEYS[1], KEYS[2]
local user = ARGV[1]
if not user or user == '' then return redis.error_reply('ERR user must not be empty') end

-- Everything is read and checked before the first write: a refusal changes nothing.
local bought = redis.pcall('SISMEMBER', buyers_key, user)
if type(bought) == 'table' then
  return redis.error_reply(bought.err .. ' (buyers, a set)')
end
local stock = redis.pcall('GET', stock_key)
if type(stock) == 'table' then
  return redis.error_reply(stock.err .. ' (stock, a string)')
end

if not stock or bought == 0 then return 0 end
-- INCR takes no leading zero, and the sum has to stay below 2^53.
local whole = stock == '0' or stock:find('^[1-9]%d*$')
if not whole or tonumber(stock) + 1 >= 2 ^ 53 then
  return redis.error_reply('ERR stock must be a whole number from 0 to 2^53 - 2')
end

-- SREM goes first: it is let through when memory is full, and then INCR may follow.
redis.call('SREM', buyers_key, user)
redis.call('INCR', stock_key)
return 1
