"""The course's pictures, as SVG text: the same on every machine."""

from .many import Verdict, compare, failover, slots
from .measures import bars, board, growth, spike
from .shop import boxes, crash_points, hundred, interleavings
from .svg import STYLE, Svg
from .timeline import Lane, timeline

__all__ = [
    "STYLE",
    "Lane",
    "Svg",
    "Verdict",
    "bars",
    "board",
    "boxes",
    "compare",
    "crash_points",
    "failover",
    "growth",
    "hundred",
    "interleavings",
    "slots",
    "spike",
    "timeline",
]
