"""The herd: refused people who come back, on a clock that is only a number.

Each client presses until it is let in. Windows follow the clock: `limit` presses in each.
"""

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from heapq import heapify, heappop, heapreplace

Retry = Callable[[int, int, random.Random], int]  # (now, next edge, dice) -> when to press again


@dataclass(frozen=True)
class Herd:
    """When every request arrived (ms, in order), and how many of them were let in."""

    arrivals_ms: list[int]
    allowed: int

    @property
    def requests(self) -> int:
        return len(self.arrivals_ms)

    def per(self, bucket_ms: int, since_ms: int = 0) -> list[int]:
        """Requests in each bucket of time, from `since_ms` to the last."""
        counts = Counter((t - since_ms) // bucket_ms for t in self.arrivals_ms if t >= since_ms)
        return [counts[i] for i in range(max(counts, default=-1) + 1)]

    def peak(self, bucket_ms: int = 100, since_ms: int = 0) -> int:
        return max(self.per(bucket_ms, since_ms), default=0)

    def __repr__(self) -> str:
        last = self.arrivals_ms[-1] if self.arrivals_ms else 0
        return f"{self.requests:,} requests for {self.allowed:,} let in, the last at {last:,} ms"


def every(ms: int) -> Retry:
    """Impatient: press again after so many ms, whatever the answer said."""
    return lambda now, edge, dice: now + ms


def retry_after(jitter_ms: int = 0) -> Retry:
    """Polite: wait until the edge that the answer named, then up to `jitter_ms` more."""
    return lambda now, edge, dice: edge + (dice.randrange(jitter_ms) if jitter_ms else 0)


IMPATIENT = every(50)


def herd(
    clients: int = 1000,
    limit: int = 100,
    window_ms: int = 1000,
    retry: Retry = IMPATIENT,
    seed: int = 2,
    spread_ms: int = 50,
) -> Herd:
    """Play the herd. The first presses fall in the first `spread_ms`, evenly at random."""
    if limit < 1:
        raise ValueError(f"limit is {limit}; with less than 1 the herd would press for ever")
    dice = random.Random(seed)
    waiting = [(dice.randrange(spread_ms), client) for client in range(clients)]
    heapify(waiting)
    arrivals, let_in = [], Counter()
    while waiting:
        now, client = waiting[0]
        arrivals.append(now)
        window = now // window_ms
        if let_in[window] < limit:
            let_in[window] += 1
            heappop(waiting)
        else:
            edge = (window + 1) * window_ms
            heapreplace(waiting, (retry(now, edge, dice), client))
    return Herd(arrivals, let_in.total())
