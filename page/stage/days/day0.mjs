// Day 0: the lesson's own lines, ready to be sent.

export const day0 = {
  first: 'PING',
  lines: [
    'SET greeting "noon is near"',
    'GET greeting',
    'GET nobody',
    'INCR presses',
    'SET ticket yours EX 60',
    'TTL ticket',
    'SADD buyers u1001',
    'SCARD buyers',
    'ZADD board 3 cup 5 lamp 1 chair',
    'ZRANGE board 0 -1 REV WITHSCORES',
    'INCR board',
    'XADD orders * user u1001 sku 2001',
    'XRANGE orders - + COUNT 1',
    'EVAL "return {KEYS[1], ARGV[1], ARGV[2]}" 1 stock two 3',
  ],
};
