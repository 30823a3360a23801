"""A crowd: many presses at once, from one thread, and the exact count of what came back."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from .clock import took
from .progress import Progress
from .runs import Run, play, rounds

__all__ = ["Crowd", "Run", "crowd", "play", "rounds"]

MOST_PRESSES = 1_000_000
MOST_ROWS = 12


@dataclass
class Crowd:
    """What a crowd heard: the replies and the errors, counted, and how long each press took."""

    presses: int
    at_once: int
    replies: Counter[Hashable] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    latencies_s: list[float] = field(default_factory=list)
    seconds: float = 0.0
    first_error: Exception | None = None

    def percentile(self, p: float) -> float:
        """The latency in seconds that p percent of the presses stay within (nearest rank)."""
        ranked = sorted(self.latencies_s)
        return ranked[max(0, -int(-len(ranked) * p // 100) - 1)] if ranked else 0.0

    @property
    def p50(self) -> float:
        return self.percentile(50)

    @property
    def p99(self) -> float:
        return self.percentile(99)

    def __repr__(self) -> str:
        """Exact counts first; the durations last, marked by lab.took."""
        rows = [(repr(reply), many) for reply, many in self.replies.items()]
        rows = [f"  {many:,} × {reply}" for reply, many in sorted(rows)]
        if len(rows) > MOST_ROWS:
            rows[MOST_ROWS:] = [f"  and {len(rows) - MOST_ROWS:,} other replies"]
        rows += [f"  {many:,} raised {name}" for name, many in sorted(self.errors.items())]
        head = f"{self.presses:,} presses, {self.at_once:,} at once"
        times = f"{took(self.seconds)} in all, half within {took(self.p50)}"
        return "\n".join([head, *rows, f"{times}, 99 % within {took(self.p99)}"])


def _key(reply: Any) -> Hashable:
    """The reply as something that can be counted."""
    return tuple(map(_key, reply)) if isinstance(reply, list) else reply


async def crowd(
    press: Callable[[int], Awaitable[Any]], presses: int = 5000, at_once: int = 50
) -> Crowd:
    """Make so many presses, `at_once` of them in flight at any time.

    `press(i)` is an async function; i counts from 0. What it returns is counted; an exception is
    counted by the name of its class, and the first one is kept in `first_error`.
    """
    if not 0 <= presses <= MOST_PRESSES:
        raise ValueError(f"presses is {presses:,}; choose from 0 to {MOST_PRESSES:,}")
    if at_once < 1:
        raise ValueError(f"at_once is {at_once}; at least one person has to press")
    result, numbers, progress = Crowd(presses, at_once), iter(range(presses)), Progress(presses)

    async def person() -> None:
        for i in numbers:
            start = perf_counter()
            try:
                result.replies[_key(await press(i))] += 1
            except Exception as error:
                result.errors[type(error).__name__] += 1
                result.first_error = result.first_error or error
            result.latencies_s.append(perf_counter() - start)
            progress(len(result.latencies_s))

    start = perf_counter()
    try:
        await asyncio.gather(*(person() for _ in range(min(at_once, presses))))
    finally:
        result.seconds = perf_counter() - start
        progress.close()
    return result
