"""One clock for Python and Redis, which the page may push forward: nobody waits in a lesson.

The worker replaces `performance.now` and `Date.now`, which every clock of Python and of Redis is
read from, so time.time(), time.monotonic(), TIME and PTTL all see a jump at once.
"""

import time

import js

_page = js.rushPage  # {advance(ms), redis}


def advance(seconds: float) -> None:
    """Let `seconds` pass at once, for Python and for Redis, and let Redis notice."""
    _page.advance(seconds * 1000)
    _page.redis.tick()


def _sleep(seconds: float, /) -> None:
    if seconds < 0:
        raise ValueError("sleep length must be non-negative")
    advance(seconds)


def install() -> None:
    """time.sleep moves the clock instead of waiting."""
    time.sleep = _sleep
