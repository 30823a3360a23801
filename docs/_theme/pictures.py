"""The small picture of each day: signs, not data, in the marks that every figure uses.

And the pictures of a page, put into it, so that they have its colours: light, dark and on paper.
"""

import posixpath
import re
from pathlib import Path

SVG = re.compile(r'<p><img\b[^>]*?\ssrc="([^":]+\.svg)"[^>]*></p>')


def _marks(kind: str, points: list[tuple[float, float]]) -> str:
    """Round marks: lines of no length with a round cap."""
    return f'<path class="{kind}" d="{"".join(f"M{x} {y}h0" for x, y in points)}"/>'


def _in(*xs: float, y: float = 22) -> str:
    return _marks("rf-in", [(x, y) for x in xs])


def _no(*xs: float, y: float = 22, r: float = 2.5) -> str:
    cross = "".join(f"M{x - r} {y - r}l{2 * r} {2 * r}m0-{2 * r}l-{2 * r} {2 * r}" for x in xs)
    return f'<path class="rf-no" d="{cross}"/>'


def _path(kind: str, d: str) -> str:
    return f'<path class="{kind}" d="{d}"/>'


def _square(x: float, y: float, side: float) -> str:
    return f"M{x} {y}h{side}v{side}h-{side}z"


def _tower(left: float, high: int) -> str:
    return "".join(_in(left, left + 6, y=29 - 6 * i) for i in range(high))


DAYS = (
    # 0 a question goes over, an answer comes back
    _path(
        "rf-line",
        _square(4, 10, 16) + _square(76, 10, 16) + "M26 14h42m-4-3l4 3l-4 3M70 22h-42m4-3l-4 3l4 3",
    )
    + _in(84, y=18),
    # 1 each window lets the same number in
    _path("rf-line", "M2 30h92M2 8v22M33 8v22M63 8v22M94 8v22")
    + _in(8, 14, 39, 45, 69, 75)
    + _no(21, 27, 51, 57, 82, 88),
    # 2 two full windows, one edge between them
    _path("rf-line", "M2 34h92M48 3v31")
    + _tower(34, 4)
    + _tower(56, 4)
    + _path("rf-limit", "M2 20h24M70 20h24"),
    # 3 the window moves with the press
    _path("rf-line", "M2 30h92")
    + _marks("rf-ghost", [(8, 22), (19, 22), (27, 22)])
    + _in(45, 52, 62, 68, 78)
    + _path("rf-acc", "M38 8v22M38 12h48M86 8v22"),
    # 4 a bucket, filled from above, with a brim
    _path("rf-line", "M22 10v22h52v-22")
    + _in(30, 39, 48, 57, 66, y=26)
    + _in(30, 39, 48, 57, 66, y=18)
    + _marks("rf-ghost", [(48, 3.5)])
    + _path("rf-limit", "M4 11h14M78 11h14"),
    # 5 one step: in, or not
    _path("rf-line", _square(38, 9, 20) + "M14 19h20M62 19h20")
    + _in(48, 8, y=19)
    + _no(88, y=19, r=3),
    # 6 a spike of presses, a plateau of rows
    _path("rf-line", "M2 32h92")
    + _path("rf-curve", "M4 32H20L25 4L30 32")
    + _path("rf-inline", "M24 32V23H88V32"),
    # 7 who leads
    _path("rf-bar", "M4 8h84M4 18h58M4 28h40") + _in(92, y=8),
    # 8 five boxes, all lit
    "".join(_path("rf-sq-ordered", _square(3 + 19.5 * i, 12, 12)) for i in range(5))
    + _path("rf-line", "".join(f"M{15.5 + 19.5 * i} 18h6" for i in range(4))),
    # 9 three machines, one line cut
    _path(
        "rf-line",
        _square(6, 12, 14)
        + _square(41, 12, 14)
        + _square(76, 12, 14)
        + "M21 19h19M56 19h5M70 19h5",
    )
    + _no(65.5, y=19, r=3)
    + _in(13, 83, y=19),
)


def of_day(day: int) -> str:
    """The sign of a day as inline SVG, 96 × 38, hidden from screen readers."""
    size = 'viewBox="0 0 96 38" width="96" height="38"'
    return f'<svg class="rf rf-icon" {size} aria-hidden="true">{DAYS[day]}</svg>'


def in_place(html: str, url: str, docs: Path) -> str:
    """A page whose own SVG pictures stand in it; url is the page's, docs the folder they lie in."""

    def drawn(match: re.Match) -> str:
        path = docs / posixpath.normpath(posixpath.join(url, match[1]))
        return f'<div class="out-html">{path.read_text(encoding="utf-8")}</div>'

    return SVG.sub(drawn, html)
