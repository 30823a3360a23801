"""Six rate limiters behind one call, each a few lines over its script in lua/.

    limiter = make("sliding_window_log", client, limit=100, window_ms=1000)
    limiter.hit("limit:{2001}")     # Decision(allowed=True, remaining=99, retry_after=0.0)

The client is redis-py's: plain or of a cluster, synchronous or asyncio (then the call is awaited).
A press whose reply was lost may have counted: use a client with retries off (shop.connect).
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Awaitable
from typing import Any, NamedTuple

import redis.asyncio
from redis.exceptions import NoScriptError

from .lua import load

ASYNC = (redis.asyncio.Redis, redis.asyncio.RedisCluster)
MOST = 2**52  # the scripts count exactly up to here


class Decision(NamedTuple):
    """What a limiter says to one press."""

    allowed: bool
    remaining: int  # single presses that would still be let in now
    retry_after: float | None  # seconds; 0.0 when let in, None when waiting does not help


def decision(reply: list[int]) -> Decision:
    """A script's {allowed, remaining, retry_after_ms}, where -1 ms is never."""
    allowed, remaining, wait_ms = reply
    return Decision(allowed == 1, remaining, None if wait_ms < 0 else wait_ms / 1000)


class Limiter:
    """What the six share. `words` are the script's first arguments, before what one press adds.

    It sends EVALSHA itself: redis-py's script object costs as much again as all of this module.
    """

    script: str  # lua/NAME.lua

    def __init__(self, client: Any, *words: int) -> None:
        self.client, self.words = client, words
        self._text = load(self.script)
        self._sha = hashlib.sha1(self._text.encode()).hexdigest()
        self._decide = self._awaited if isinstance(client, ASYNC) else self._at_once

    def hit(self, key: str, cost: int = 1) -> Decision | Awaitable[Decision]:
        """One press that weighs `cost`: counted when it is let in, no trace of it when refused.

        Raises redis.ResponseError for a cost below 1 and for a key of another type.
        """
        if cost == 1:  # what the scripts take when it is left out: a word less to send and to check
            return self._decide(key, *self.words)
        return self._decide(key, *self.words, cost)

    # NOSCRIPT comes before anything has run, so sending the whole script is no second press.

    def _at_once(self, key: str, *args: int | str) -> Decision:
        try:
            return decision(self.client.evalsha(self._sha, 1, key, *args))
        except NoScriptError:
            return decision(self.client.eval(self._text, 1, key, *args))

    async def _awaited(self, key: str, *args: int | str) -> Decision:
        try:
            return decision(await self.client.evalsha(self._sha, 1, key, *args))
        except NoScriptError:
            return decision(await self.client.eval(self._text, 1, key, *args))


class _Window(Limiter):
    def __init__(self, client: Any, limit: int, window_ms: int) -> None:
        super().__init__(client, _whole("limit", limit, 0), _whole("window_ms", window_ms, 1))


class FixedWindow(_Window):
    """A counter that begins with the first press; twice the limit can pass at an edge (day 2)."""

    script = "fixed_window"


class SlidingWindowLog(_Window):
    """Exact in every window; remembers each press."""

    script = "sliding_window_log"

    def hit(
        self, key: str, cost: int = 1, press_id: str | None = None
    ) -> Decision | Awaitable[Decision]:
        """As the others, and a press sent again under the same `press_id` counts once.

        Left out, the press gets a name of its own.
        """
        name = secrets.token_hex(8) if press_id is None else press_id
        return self._decide(key, *self.words, name, cost)


class SlidingWindowRing(_Window):
    """The log's verdicts from a list of times, a tenth of the memory."""

    script = "sliding_window_ring"


class SlidingWindowCounter(_Window):
    """Two numbers for any limit: the last window weighs as much as is still in view."""

    script = "sliding_window_counter"


class _Bucket(Limiter):
    def __init__(
        self, client: Any, capacity: int, refill_count: int, refill_period_ms: int
    ) -> None:
        super().__init__(
            client,
            _whole("capacity", capacity, 0),
            _whole("refill_count", refill_count, 1),
            _whole("refill_period_ms", refill_period_ms, 1),
        )


class TokenBucket(_Bucket):
    """Bursts up to the capacity, then refill_count in each refill_period_ms milliseconds."""

    script = "token_bucket"


class GCRA(_Bucket):
    """The token bucket's verdicts from one remembered time."""

    script = "gcra"


WINDOWS = {kind.script: kind for kind in _Window.__subclasses__()}
BUCKETS = {kind.script: kind for kind in _Bucket.__subclasses__()}
NAMES = tuple(sorted(WINDOWS | BUCKETS))


def make(name: str, client: Any, limit: int, window_ms: int) -> Limiter:
    """The limiter of that script name. A bucket holds `limit` and refills `limit` per window.

    A bucket of limit 0 lets nobody in, whatever drips. Raises ValueError for an unknown name.
    """
    if name in WINDOWS:
        return WINDOWS[name](client, limit, window_ms)
    if name in BUCKETS:
        return BUCKETS[name](client, limit, max(limit, 1), window_ms)
    raise ValueError(f"no limiter is called {name!r}: choose one of {', '.join(NAMES)}")


def _whole(name: str, value: int, least: int) -> int:
    if type(value) is not int or not least <= value <= MOST:
        raise ValueError(f"{name} is {value!r}: it must be a whole number from {least} to 2^52")
    return value
