"""The course's pictures, as SVG text: the same on every machine."""

from .axes import growth, spike
from .compare import Verdict, compare
from .lane import Lane
from .machines import failover, slots
from .measures import bars, board
from .paths import crash_points, interleavings
from .shop import boxes, hundred
from .style import STYLE
from .svg import Svg
from .timeline import timeline

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
