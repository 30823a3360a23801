"""Who is measured: our scripts, the published limiters as their packages ship them, and the floor.

A contender makes one decision about one key. The peers run their own code on their own scripts;
none of it is copied here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any, NamedTuple
from warnings import catch_warnings, simplefilter

import limits
import pyrate_limiter
import redis
import throttled
import upstash_ratelimit
from shop.limits import make
from shop.lua import register

WINDOW_S = 600  # nothing leaves a window and nothing drips while a contender is measured
Press = Callable[[str], Any]


class Contender(NamedTuple):
    """`press(key)` is one decision; where a library sends a second request for what one of our
    replies says, that is `asks(key)`. `goal` is its mark, times the floor; None for peers.
    """

    family: str
    name: str
    press: Press
    goal: float | None = None
    asks: Press | None = None

    @property
    def title(self) -> str:
        """Unique among all contenders: the beginning of its keys."""
        return f"{self.family}/{self.name}"


GOALS = {
    "fixed_window": 3.6,
    "sliding_window_log": None,
    "sliding_window_ring": 7.2,
    "sliding_window_counter": 7.0,
    "token_bucket": 7.3,
    "gcra": 7.2,
}
SOLD_OUT_GOAL = 1.6  # of seckill
SALE = ("stock:{bench}", "users:{bench}", "orders:{bench}")
FAMILY = {
    "fixed_window": "fixed window",
    "sliding_window_log": "sliding log",
    "sliding_window_ring": "sliding log",
    "sliding_window_counter": "sliding counter",
    "token_bucket": "token bucket",
    "gcra": "GCRA",
}


def floor(client: redis.Redis) -> list[Contender]:
    """What any script costs at least, what two of its parts add, and what one bare command costs."""
    scripts = {
        'EVALSHA "return 1"': "return 1",
        "the same with a reply of three numbers": "return {1, 50, 0}",
        "the same with the server's clock": "redis.call('TIME') return 1",
    }

    def press(text: str) -> Press:
        script = client.register_script(text)
        return lambda key: script([key])

    return [
        *(Contender("floor", name, press(text)) for name, text in scripts.items()),
        Contender("floor", "INCR", client.incr),
    ]


def ours(client: redis.Redis, limit: int) -> list[Contender]:
    """The six limiters of lua/, asking the server's clock, with their whole reply."""
    made = []
    for name, goal in GOALS.items():
        limiter = make(name, client, limit=limit, window_ms=WINDOW_S * 1000)
        made.append(Contender(FAMILY[name], f"lua/{name}", limiter.hit, goal))
    return made


def sale(client: redis.Redis) -> list[tuple[str, Press, float]]:
    """seckill and seckill_enqueue by outcome: (what, press(user), goal)."""
    plain, queued = (register(client, name) for name in ("seckill", "seckill_enqueue"))
    return [
        ("seckill", lambda user: plain(keys=SALE[:2], args=[user]), 3.4),
        ("seckill_enqueue", lambda user: queued(keys=SALE, args=[user, "bench"]), 5.0),
    ]


def peers(url: str, limit: int) -> list[Contender]:
    """The published limiters that requirements-dev.txt installs."""
    return [
        *_limits(url, limit),
        *_throttled(url, limit),
        *_pyrate(url, limit),
        *_upstash(url, limit),
    ]


def _limits(url: str, limit: int) -> list[Contender]:
    storage = limits.storage.storage_from_string(url)
    rate = limits.RateLimitItemPerMinute(limit, WINDOW_S // 60)
    kinds = {
        "fixed window": limits.strategies.FixedWindowRateLimiter,
        "sliding log": limits.strategies.MovingWindowRateLimiter,
        "sliding counter": limits.strategies.SlidingWindowCounterRateLimiter,
    }
    made = {family: kind(storage) for family, kind in kinds.items()}

    def press(one: limits.strategies.RateLimiter) -> Press:
        return lambda key: one.hit(rate, key)

    def stats(one: limits.strategies.RateLimiter) -> Press:
        """What is left, and when there is more."""
        return lambda key: one.get_window_stats(rate, key)

    return [
        Contender(family, name, press(one), asks=asks)
        for family, one in made.items()
        for name, asks in (("limits", None), ("limits, and what is left", stats(one)))
    ]


def _throttled(url: str, limit: int) -> list[Contender]:
    store = throttled.RedisStore(server=url)
    kinds = {
        "fixed window": throttled.RateLimiterType.FIXED_WINDOW,
        "sliding counter": throttled.RateLimiterType.SLIDING_WINDOW,
        "token bucket": throttled.RateLimiterType.TOKEN_BUCKET,
        "GCRA": throttled.RateLimiterType.GCRA,
    }
    quota = throttled.rate_limiter.per_duration(
        timedelta(seconds=WINDOW_S), limit=limit, burst=limit
    )
    return [
        Contender(
            family,
            "throttled-py",
            throttled.Throttled(using=kind.value, quota=quota, store=store).limit,
        )
        for family, kind in kinds.items()
    ]


def _pyrate(url: str, limit: int) -> list[Contender]:
    client = redis.Redis.from_url(url)
    rates = [pyrate_limiter.Rate(limit, WINDOW_S * 1000)]
    buckets: dict[str, Any] = {}

    def press(key: str) -> Any:
        if key not in buckets:
            buckets[key] = pyrate_limiter.RedisBucket.init(rates, client, f"pyrate:{key}")
        bucket = buckets[key]
        return bucket.put(pyrate_limiter.RateItem("press", bucket.now()))

    return [Contender("sliding log", "pyrate-limiter", press)]


class _Upstash:
    """The part of Upstash's HTTP client that its limiters use, on a plain connection."""

    def __init__(self, url: str) -> None:
        self._redis = redis.Redis.from_url(url, decode_responses=True)
        self._scripts: dict[str, Any] = {}

    def eval(self, script: str, keys: list[str], args: list[Any]) -> Any:
        if script not in self._scripts:
            # A first line like `#!lua flags=allow-key-locking` is for Upstash's own server alone.
            plain = re.sub(r"^\s*#!lua[^\n]*\n", "", script)
            self._scripts[script] = self._redis.register_script(plain)
        return self._scripts[script](keys=keys, args=args)


def _upstash(url: str, limit: int) -> list[Contender]:
    kinds = {
        "fixed window": upstash_ratelimit.FixedWindow(max_requests=limit, window=WINDOW_S),
        "sliding counter": upstash_ratelimit.SlidingWindow(max_requests=limit, window=WINDOW_S),
        "token bucket": upstash_ratelimit.TokenBucket(
            max_tokens=limit, refill_rate=limit, interval=WINDOW_S
        ),
    }
    with catch_warnings():
        simplefilter("ignore")
        return [
            Contender(
                family,
                "upstash-ratelimit",
                upstash_ratelimit.Ratelimit(redis=_Upstash(url), limiter=kind).limit,
            )
            for family, kind in kinds.items()
        ]
