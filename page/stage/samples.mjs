// Scripts as people paste them into questions, each with a fault that was really met; written anew.

export const SAMPLES = {
  'INCR, and EXPIRE at the first': {
    kind: 'window', keys: 'limit:{2001}', args: '$limit $window_s', reading: 'positive',
    lua: `local count = redis.call('INCR', KEYS[1])
if count == 1 then
  redis.call('EXPIRE', KEYS[1], ARGV[2])
end
if count > tonumber(ARGV[1]) then
  return 0
end
return 1
`,
  },
  'INCR, and EXPIRE each time': {
    kind: 'window', keys: 'limit:{2001}', args: '$limit $window_ms', reading: 'within',
    lua: `local count = redis.call('INCR', KEYS[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return count
`,
  },
  'a sorted set of times': {
    kind: 'log', keys: 'log:{2001}', args: '$limit $window_ms $now_ms', reading: 'positive',
    lua: `local limit, window, now = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
redis.call('ZREMRANGEBYSCORE', KEYS[1], 0, now - window)
if redis.call('ZCARD', KEYS[1]) >= limit then
  return 0
end
redis.call('ZADD', KEYS[1], now, now)
redis.call('EXPIRE', KEYS[1], window)
return 1
`,
  },
  'a bucket that rounds': {
    kind: 'bucket', keys: 'bucket:{2001}', args: '$capacity $rate $now_ms $cost', reading: 'positive',
    lua: `local capacity, rate = tonumber(ARGV[1]), tonumber(ARGV[2])
local now, cost = tonumber(ARGV[3]), tonumber(ARGV[4])
local state = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local tokens, at = tonumber(state[1]) or capacity, tonumber(state[2]) or now
tokens = math.min(capacity, tokens + math.floor((now - at) / 1000 * rate))
local allowed = tokens >= cost
if allowed then
  tokens = tokens - cost
end
redis.call('HSET', KEYS[1], 'tokens', tokens, 'at', now)
return allowed and 1 or 0
`,
  },
  'stock first, questions later': {
    kind: 'seckill', keys: 'seckill:stock:{2001} seckill:users:{2001}', args: '$user', reading: 'positive',
    lua: `local left = redis.call('DECR', KEYS[1])
if left < 0 then
  return 0
end
if redis.call('SADD', KEYS[2], ARGV[1]) == 0 then
  return 0
end
return 1
`,
  },
};

/** The course's own, fetched by name from lua/; what they are called with stands in their headers. */
export const OURS = ['fixed_window', 'sliding_window_log', 'sliding_window_ring', 'sliding_window_counter', 'token_bucket', 'gcra', 'seckill'];
