"""Marks, words and the frame that all pictures of the course share: plain SVG text.

Three meanings have a colour and a shape: admitted is a filled teal circle, refused a vermilion
cross, the limit a dashed amber line (the colours are in style.py).

A picture is 480 units wide, so that its words stay readable on a telephone. All numbers are
written with at most one decimal: the same data give the same text on every machine.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from html import escape
from math import ceil, floor

from .style import STYLE

WIDTH = 456  # units between the margins
MARGIN = 12
LINE = 19  # units from one line of words to the next
Point = tuple[float, float]


class Svg(str):
    """SVG text that Jupyter draws."""

    def _repr_svg_(self) -> str:
        return str(self)

    def __repr__(self) -> str:
        return f"<picture: {re.search('<title[^>]*>(.*?)</title>', self)[1]}>"


def n(value: float) -> str:
    """A number as short as it can be, with at most one decimal."""
    short = f"{value:.1f}".rstrip("0").rstrip(".")
    return "0" if short == "-0" else short


def count(value: float) -> str:
    """A number as people write it: 5,000 or 0.25."""
    return f"{value:,.10g}" if isinstance(value, float) else f"{value:,}"


def wide(words: str, size: float = 15) -> float:
    """About how many units the words take; a Chinese character is as wide as it is tall."""
    return sum(size if unicodedata.east_asian_width(c) in "WF" else size * 0.56 for c in words)


def wrap(words: str, units: float, size: float = 15) -> list[str]:
    """The words in lines of at most so many units, broken at spaces."""
    lines: list[str] = []
    for word in words.split():
        if lines and wide(f"{lines[-1]} {word}", size) <= units:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def text(x: float, y: float, words: str, cls: str = "") -> str:
    """Words at a point: `cls` holds soft, bold, small, mid, end or a colour such as t-in."""
    kind = f' class="{cls}"' if cls else ""
    return f'<text x="{n(x)}" y="{n(y)}"{kind}>{escape(words, quote=False)}</text>'


def path(d: str, cls: str) -> str:
    return f'<path class="{cls}" d="{d}"/>' if d else ""


def dots(points: Iterable[Point], size: float = 6.5, cls: str = "in") -> str:
    """Filled circles as one path: each is a line of no length with a round cap."""
    d = "".join(f"M{n(x)} {n(y)}h0" for x, y in points)
    return f'<path class="{cls}" style="stroke-width:{n(size)}" d="{d}"/>' if d else ""


def crosses(points: Iterable[Point], r: float = 3.2, cls: str = "no") -> str:
    d, s = "", n(2 * r)
    for x, y in points:
        d += f"M{n(x - r)} {n(y - r)}l{s} {s}m0-{s}l-{s} {s}"
    return path(d, cls)


def box(x: float, y: float, w: float, h: float, cls: str, rx: float = 0) -> str:
    round_ = f' rx="{n(rx)}"' if rx else ""
    return f'<rect class="{cls}" x="{n(x)}" y="{n(y)}" width="{n(w)}" height="{n(h)}"{round_}/>'


def heading(title: str) -> tuple[str, float]:
    """The finding, in bold, at the top; and the height that it takes."""
    lines = wrap(title, WIDTH * 0.94)
    if len(lines) > 1:  # lines of about the same length: no word alone on the last one
        lines = wrap(title, max(wide(title) / len(lines) * 1.12, max(map(wide, title.split()))))
    drawn = [text(0, 14 + i * LINE, line, "bold") for i, line in enumerate(lines)]
    return "".join(drawn), len(lines) * LINE + 9


def slug(words: str) -> str:
    """A stable id from a title."""
    return re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")[:40] or "figure"


def frame(body: str, height: float, title: str, desc: str, name: str = "") -> Svg:
    """The frame of every picture, with a title and a description for a screen reader.

    `name` makes the ids; it must differ between the pictures of one page. It is made from the
    title when it is left out.
    """
    name = slug(name or title)
    w, h = n(WIDTH + 2 * MARGIN), n(height + 2 * MARGIN)
    return Svg(
        f'<svg xmlns="http://www.w3.org/2000/svg" class="rush-fig" width="{w}" height="{h}" '
        f'viewBox="-{MARGIN} -{MARGIN} {w} {h}" style="max-width:100%;height:auto" role="img" '
        f'aria-labelledby="{name}-title {name}-desc"><title id="{name}-title">{escape(title, quote=False)}'
        f'</title><desc id="{name}-desc">{escape(desc or title, quote=False)}</desc>{STYLE}'
        f'<rect class="paper" x="-{MARGIN}" y="-{MARGIN}" width="{w}" height="{h}"/>{body}</svg>'
    )


def ticks_for(first: float, last: float, most: int = 6) -> list[float]:
    """Round places on an axis, at most `most` of them."""
    span = (last - first) or 1
    for exponent in range(-6, 12):
        for base in (1, 2, 5):
            step = base * 10.0**exponent
            if span / step < most:
                places = range(ceil(first / step), floor(last / step) + 1)
                return [round(i * step, 6) for i in places]
    raise ValueError(f"an axis from {first} to {last} is too long to draw")


def inside(x: float, words: str) -> float:
    """The middle for these words that is nearest to x and keeps them in the picture."""
    half = wide(words) * 0.52
    return min(max(x, half), WIDTH - half)


def columns(rows: Sequence[object], gap: float = 0) -> list[tuple[float, float]]:
    """Left edge and width of so many equal columns side by side."""
    each = (WIDTH - gap * (len(rows) - 1)) / len(rows)
    return [(i * (each + gap), each) for i in range(len(rows))]
