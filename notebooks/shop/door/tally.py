"""What this process has answered, second by second: for the live page, never for a decision."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable

SECONDS = 60  # how far back it remembers


class Tally:
    """Counts of one sale's answers. With several processes, each has its own."""

    def __init__(self, clock_s: Callable[[], float] = time.time) -> None:
        self.clock_s = clock_s
        self.total: Counter[str] = Counter()
        self._seconds: deque[tuple[int, Counter[str]]] = deque()

    def add(self, code: str) -> None:
        """Note one answer by its code."""
        second = int(self.clock_s())
        if not self._seconds or self._seconds[-1][0] != second:
            self._seconds.append((second, Counter()))
            while self._seconds[0][0] <= second - SECONDS:
                self._seconds.popleft()
        self._seconds[-1][1][code] += 1
        self.total[code] += 1

    def seconds(self) -> list[tuple[int, dict[str, int]]]:
        """(second since 1970, code -> count) of the last minute, quiet seconds left out."""
        oldest = int(self.clock_s()) - SECONDS
        seen = list(self._seconds)  # a copy: it may grow while another thread reads
        return [(second, dict(counts)) for second, counts in seen if second > oldest]
