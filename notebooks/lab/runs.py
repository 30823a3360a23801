"""Play a dated list of presses through a limiter, and ask the run what happened.

Time is a number that we pass in, so a run takes no time and comes out the same on every machine.
"""

import inspect
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple


class Press(NamedTuple):
    t_ms: float
    allowed: bool
    reply: Any


class Worst(NamedTuple):
    """The busiest window: how many were let in between its two ends."""

    count: int
    start_ms: float
    end_ms: float


class At(NamedTuple):
    pressed: int
    let_in: int


def is_allowed(reply: Any) -> bool:
    """What a limiter's reply means: `.allowed`, the first of a list, or a number above 0."""
    if inspect.isawaitable(reply):
        raise TypeError("decide() answered with a coroutine; give lab.play a plain function")
    if hasattr(reply, "allowed"):
        reply = reply.allowed
    elif isinstance(reply, list | tuple) and reply:
        reply = reply[0]
    if not isinstance(reply, int):
        raise TypeError(
            f"decide() answered {reply!r}; it must answer True or False, 1 or 0, "
            "or something with .allowed"
        )
    return reply > 0


class Table(str):
    """A small Markdown table that Jupyter draws."""

    def _repr_markdown_(self) -> str:
        return str(self)

    __repr__ = str.__str__


@dataclass(frozen=True)
class Run:
    """Every press of a run, in the order in which they were made."""

    presses: list[Press]

    @property
    def allowed(self) -> int:
        return sum(p.allowed for p in self.presses)

    @property
    def refused(self) -> int:
        return len(self.presses) - self.allowed

    def __repr__(self) -> str:
        total = f"{len(self.presses):,} press{'' if len(self.presses) == 1 else 'es'}"
        return f"{total}: {self.allowed:,} let in, {self.refused:,} refused"

    def times(self) -> list[float]:
        """When somebody was let in, in ms, in order of time."""
        return sorted(p.t_ms for p in self.presses if p.allowed)

    def at(self, t_ms: float) -> At:
        """How many pressed at exactly this moment, and how many of them were let in."""
        here = [p.allowed for p in self.presses if p.t_ms == t_ms]
        return At(len(here), sum(here))

    def worst(self, window_ms: float, closed: bool = False) -> Worst:
        """The busiest window: the first one, if several are equally busy.

        A window (t - w, t] leaves out the press that is exactly w old; `closed` counts it.
        """
        times, worst = self.times(), Worst(0, 0, 0)
        first_in = bisect_left if closed else bisect_right
        for i, t in enumerate(times):
            inside = i + 1 - first_in(times, t - window_ms)
            if inside > worst.count:
                worst = Worst(inside, t - window_ms, t)
        return worst

    def curve(self, window_ms: float) -> list[tuple[float, int]]:
        """Steps of (t in s, let in during the window that ends at t): the count holds from t on."""
        change: Counter[float] = Counter()
        for t in self.times():
            change[t] += 1
            change[t + window_ms] -= 1
        steps, inside = [], 0
        for t in sorted(change):
            inside += change[t]
            steps.append((t / 1000, inside))
        return steps

    def lane(self, name: str, window_ms: float, verdict: str | None = None, origin_ms: float = 0):
        """This run as a lane of `lab.charts.timeline`; its times count from `origin_ms`."""
        from .charts import Lane

        zero = origin_ms / 1000
        return Lane(
            name,
            [(p.t_ms / 1000 - zero, p.allowed) for p in self.presses],
            [(t - zero, inside) for t, inside in self.curve(window_ms)],
            f"{self.allowed:,} of {len(self.presses):,} let in" if verdict is None else verdict,
        )

    def table(self) -> Table:
        """A row for each moment: who pressed, who was let in."""
        rows = ["| at (ms) | pressed | let in | refused |", "|--:|--:|--:|--:|"]
        for t in dict.fromkeys(p.t_ms for p in self.presses):
            pressed, let_in = self.at(t)
            rows.append(f"| {t:,} | {pressed:,} | {let_in:,} | {pressed - let_in:,} |")
        return Table("\n".join(rows))


def play(decide: Callable[[float], Any], schedule: Iterable[float | tuple[float, int]]) -> Run:
    """Make every press of the schedule, in its order, and note what the limiter said.

    `decide(now_ms)` is the limiter. The schedule holds moments in ms, or (moment, how many).
    """
    presses = []
    for entry in schedule:
        t_ms, how_many = entry if isinstance(entry, tuple) else (entry, 1)
        for _ in range(how_many):
            reply = decide(t_ms)
            presses.append(Press(t_ms, is_allowed(reply), reply))
    return Run(presses)


def rounds(people: int, times: int, every_ms: float) -> list[tuple[float, int]]:
    """A schedule: so many people press together, so many times, one round every `every_ms`."""
    return [(i * every_ms, people) for i in range(times)]
