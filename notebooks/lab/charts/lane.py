"""One run on a time axis, and the axis."""

from collections.abc import Sequence
from dataclasses import dataclass

from .svg import WIDTH


@dataclass(frozen=True)
class Lane:
    """One run on the axis, in seconds.

    `presses` are (time, let in), `curve` is steps of (time, let in during the last window).
    """

    name: str
    presses: Sequence[tuple[float, bool]]
    curve: Sequence[tuple[float, float]] = ()
    verdict: str = ""


@dataclass(frozen=True)
class Axis:
    """Seconds to units. A mark at either end stays inside the picture."""

    first: float
    last: float

    def __call__(self, t: float) -> float:
        return 6 + (t - self.first) / (self.last - self.first) * (WIDTH - 12)
