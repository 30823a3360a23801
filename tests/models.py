"""The oracles: what each limiter means, in a few lines of plain Python with exact numbers.

A model says only when a press fits (`fits`) and what is remembered of one that was let in
(`admit`). What is left and how long to wait are searched for, from `fits` alone, so they
owe nothing to the formulas in the Lua files.
"""

from bisect import bisect_left
from fractions import Fraction
from math import ceil

FAR_MS = 2**60  # later than any wait that the tests can bring about


class Limiter:
    """One key of one limiter. Times are milliseconds; `limit` is the most it ever lets in."""

    limit: int

    def fits(self, now_ms: int, cost: int) -> bool:
        """Would a press of this cost be let in at this time?"""
        raise NotImplementedError

    def admit(self, now_ms: int, cost: int) -> None:
        """Remember a press that was let in."""
        raise NotImplementedError

    def forgotten_ms(self) -> int:
        """From when on, in whole milliseconds, the state is as good as none."""
        raise NotImplementedError

    def press(self, now_ms: int, cost: int = 1) -> list[int]:
        """The reply: [allowed, remaining, retry_after_ms]."""
        if self.fits(now_ms, cost):
            self.admit(now_ms, cost)
            return [1, self.remaining(now_ms), 0]
        return [0, self.remaining(now_ms), self.wait(now_ms, cost)]

    def remaining(self, now_ms: int) -> int:
        """The largest cost that fits: costs 1, 2, 3 … fit until one does not."""
        costs = range(1, self.limit + 2)
        return bisect_left(costs, True, key=lambda cost: not self.fits(now_ms, cost))

    def wait(self, now_ms: int, cost: int) -> int:
        """The smallest wait after which the press fits: once it fits, it fits for good."""
        if cost > self.limit:
            return -1
        waits = range(FAR_MS)
        return bisect_left(waits, True, key=lambda wait: self.fits(now_ms + wait, cost))


class SlidingLog(Limiter):
    """At most `limit` in (now - window, now]; a clock that steps back stands still."""

    def __init__(self, limit: int, window_ms: int) -> None:
        self.limit, self.window_ms = limit, window_ms
        self.times: list[int] = []

    def at(self, now_ms):
        return max([now_ms, *self.times[-1:]])

    def fits(self, now_ms, cost):
        edge_ms = self.at(now_ms) - self.window_ms
        return sum(time > edge_ms for time in self.times) + cost <= self.limit

    def admit(self, now_ms, cost):
        edge_ms = self.at(now_ms) - self.window_ms
        self.times = [t for t in self.times if t > edge_ms] + [self.at(now_ms)] * cost

    def forgotten_ms(self):
        return self.times[-1] + self.window_ms


class SlidingCounter(Limiter):
    """previous × left + (current + cost) × window <= limit × window, windows on the clock."""

    def __init__(self, limit: int, window_ms: int) -> None:
        self.limit, self.window_ms = limit, window_ms
        self.counts: dict[int, int] = {}  # window number: presses let in
        self.newest = 0

    def fits(self, now_ms, cost):
        number = max(now_ms // self.window_ms, self.newest)
        now_ms = max(now_ms, number * self.window_ms)
        left_ms = (number + 1) * self.window_ms - now_ms
        previous, current = self.counts.get(number - 1, 0), self.counts.get(number, 0)
        used = previous * left_ms + (current + cost) * self.window_ms
        return used <= self.limit * self.window_ms

    def admit(self, now_ms, cost):
        self.newest = max(now_ms // self.window_ms, self.newest)
        self.counts[self.newest] = self.counts.get(self.newest, 0) + cost

    def forgotten_ms(self):
        return (self.newest + 2) * self.window_ms


class TokenBucket(Limiter):
    """Starts full; refills `refill_count` tokens in every `refill_period_ms`, evenly."""

    def __init__(self, capacity: int, refill_count: int, refill_period_ms: int) -> None:
        self.limit = capacity
        self.rate = Fraction(refill_count, refill_period_ms)  # tokens per millisecond
        self.tokens, self.at_ms = Fraction(capacity), 0

    def level(self, now_ms):
        return min(self.limit, self.tokens + max(0, now_ms - self.at_ms) * self.rate)

    def fits(self, now_ms, cost):
        return self.level(now_ms) >= cost

    def admit(self, now_ms, cost):
        self.tokens = self.level(now_ms) - cost
        self.at_ms = max(now_ms, self.at_ms)

    def forgotten_ms(self):
        return self.at_ms + ceil((self.limit - self.tokens) / self.rate)


class Gcra(Limiter):
    """Each press moves the theoretical arrival on by cost × interval; early by at most burst."""

    def __init__(self, capacity: int, refill_count: int, refill_period_ms: int) -> None:
        self.limit = capacity
        self.interval_ms = Fraction(refill_period_ms, refill_count)
        self.arrival_ms = Fraction(0)

    def after(self, now_ms, cost):
        return max(self.arrival_ms, now_ms) + cost * self.interval_ms

    def fits(self, now_ms, cost):
        return self.after(now_ms, cost) - now_ms <= self.limit * self.interval_ms

    def admit(self, now_ms, cost):
        self.arrival_ms = self.after(now_ms, cost)

    def forgotten_ms(self):
        return ceil(self.arrival_ms)
