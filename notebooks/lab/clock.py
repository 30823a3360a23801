"""Durations for the reader's eye, and time that passes when a lesson says so."""

import math

import redis

PASS = """
local left = redis.call("PTTL", KEYS[1])
if left >= 0 then
  redis.call("PEXPIRE", KEYS[1], left - ARGV[1])
  left = redis.call("PTTL", KEYS[1])
end
return left
"""


def took(seconds: float) -> str:
    """A duration with its unit: "⏱ 850 µs", "⏱ 12.3 ms" or "⏱ 2.35 s".

    Lessons print every duration with this, so that the tests know what may differ.
    """
    _check(seconds)
    if seconds < 0.9995e-3:
        return f"⏱ {seconds * 1e6:.0f} µs"
    if seconds < 0.99995:
        return f"⏱ {seconds * 1e3:.1f} ms"
    return f"⏱ {seconds:.2f} s"


def rate(count: int, seconds: float) -> str:
    """How many in each second: "⏱ 12,345 /s"."""
    _check(seconds)
    if seconds == 0:
        raise ValueError("seconds must be above 0 to divide by: measure more at once")
    return f"⏱ {count / seconds:,.0f} /s"


def pass_time(key: str, ms: int, *, client: redis.Redis | None = None) -> int:
    """Shorten the life of `key` as if `ms` milliseconds had passed.

    Returns the milliseconds that are left, -1 for a key that never expires (it is left alone)
    and -2 for one that is gone.
    """
    if not isinstance(ms, int) or ms < 0:
        raise ValueError(f"ms must be a whole number of at least 0, not {ms!r}: time runs forward")
    if client is None:
        from .connect import client as open_client

        client = open_client()
    return client.eval(PASS, 1, key, ms)


def _check(seconds: float) -> None:
    if not (math.isfinite(seconds) and seconds >= 0):
        raise ValueError(f"a duration is a number of seconds of at least 0, not {seconds!r}")
