"""Presses on a time axis, and under them how many were let in during the last window."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, floor

from .svg import (
    WIDTH,
    Point,
    Svg,
    box,
    count,
    crosses,
    dots,
    frame,
    heading,
    n,
    path,
    text,
    ticks_for,
    wide,
)

MOST_MARKS = 24  # marks in one stack; with more of them, one bar stands for each moment
STRIP = 118  # the tallest that a stack of marks may be
CURVE = 78  # height of the curve


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
class _Axis:
    """Seconds to units. A mark at either end stays inside the picture."""

    first: float
    last: float

    def __call__(self, t: float) -> float:
        return 6 + (t - self.first) / (self.last - self.first) * (WIDTH - 12)


def timeline(
    lanes: Sequence[Lane] | Lane,
    *,
    limit: int | None = None,
    span: tuple[float, float] | None = None,
    ticks: Sequence[tuple[float, str]] | None = None,
    edges: Sequence[float] = (),
    curve_label: str = "let in during the last second",
    title: str = "",
    desc: str = "",
    name: str = "",
) -> Svg:
    """Lanes of presses on one axis, each with its curve against the limit. Times are seconds.

    `edges` are dotted lines where windows begin. Presses outside `span` are not drawn.
    """
    lanes = [lanes] if isinstance(lanes, Lane) else list(lanes)
    span = span or _span(lanes)
    x = _Axis(*span)
    body, y = heading(title) if title else ("", 0.0)
    top = y
    for lane in lanes:
        drawn, y = _lane(lane, x, y, limit, curve_label)
        body += drawn
    if edges:
        body = (
            path("".join(f"M{n(x(e))} {n(top + 26)}V{n(y)}" for e in edges), "axis dotted") + body
        )
    for t, label in ticks or [(t, f"{t:.10g} s") for t in ticks_for(*span)]:
        half = wide(label) / 2
        at = min(max(x(t), half), WIDTH - half)
        body += path(f"M{n(x(t))} {n(y)}v5", "axis") + text(at, y + 20, label, "soft mid")
    said = "; ".join(f"{lane.name}: {lane.verdict}" for lane in lanes)
    return frame(body, y + 24, title or lanes[0].name, desc or said, name)


def _span(lanes: Sequence[Lane]) -> tuple[float, float]:
    """From the first press (0 at the latest) to the end of the last curve."""
    times = [t for lane in lanes for t, _ in [*lane.presses, *lane.curve]] or [0.0]
    first, last = min(0.0, *times) if len(times) > 1 else 0.0, max(times)
    return first, last if last > first else first + 1


def _lane(lane: Lane, x: _Axis, y: float, limit: int | None, label: str) -> tuple[str, float]:
    body = text(0, y + 14, lane.name, "bold")
    if wide(lane.name) * 1.06 + wide(lane.verdict) > WIDTH - 12:
        y += 19
        body += text(0, y + 14, lane.verdict, "soft")
    else:
        body += text(WIDTH, y + 14, lane.verdict, "soft end")
    drawn, y = _marks(lane, x, y + 28)
    body += drawn
    if lane.curve:
        drawn, y = _curve(lane, x, y + 6, limit, label)
        body += drawn
    return body, y + 12


def _marks(lane: Lane, x: _Axis, y: float) -> tuple[str, float]:
    """A circle or a cross for each press, stacked by moment; bars when there are too many."""
    seen = [(t, ok) for t, ok in lane.presses if x.first <= t <= x.last]
    groups = Counter(t for t, _ in seen)
    places = [x(t) for t in sorted(groups)]
    gap = min((b - a for a, b in pairwise(places)), default=WIDTH / 4)
    most = max(groups.values(), default=1)
    pitch = 7.4 if most <= 12 else 5.6
    across = max(1, min(floor(gap / pitch) - 1, ceil(most / 12)))
    tall = ceil(most / across)
    if gap < 2.5 or tall > MOST_MARKS:
        return _bars(seen, x, y)
    base, done, marks = y + (tall - 1) * pitch, Counter(), {True: [], False: []}
    for t, ok in seen:
        i, wide_here = done[t], ceil(groups[t] / tall)
        done[t] += 1
        at = x(t) + (i // tall - (wide_here - 1) / 2) * pitch
        marks[bool(ok)].append((at, base - i % tall * pitch))
    axis = path(f"M0 {n(base + 7)}H{WIDTH}", "axis")
    r = 3.2 if pitch > 7 else 2.3
    return axis + dots(marks[True], pitch - 1) + crosses(marks[False], r), base + 7


def _bars(seen: Sequence[tuple[float, bool]], x: _Axis, y: float) -> tuple[str, float]:
    """Presses per 8 units of axis: let in as a solid bar, refused as a hatched one above it."""
    bins: dict[bool, Counter[int]] = {True: Counter(), False: Counter()}
    for t, ok in seen:
        bins[bool(ok)][int(x(t) // 8)] += 1
    total = bins[True] + bins[False]
    unit = STRIP / max(total.values())
    base, body = y + 20 + STRIP, ""
    for i, many in sorted(total.items()):
        ok, left = bins[True][i] * unit, i * 8 + 0.8
        body += box(left, base - ok, 6.4, ok, "f-in") if ok else ""
        if bins[False][i]:
            top, bottom = base - many * unit, base - ok
            rows = max(1, round((bottom - top) / 8))
            high = (bottom - top) / rows
            spots: list[Point] = [(left + 3.2, bottom - (k + 0.5) * high) for k in range(rows)]
            body += crosses(spots, min(2.6, high / 2))
    peak = max(total, key=lambda i: (total[i], -i))
    words = f"{count(total[peak])} at once"
    half = wide(words) / 2
    at = min(max(peak * 8 + 4, half), WIDTH - half)
    body += text(at, base - STRIP - 6, words, "small soft mid")
    return path(f"M0 {n(base)}H{WIDTH}", "axis") + body, base


def _curve(lane: Lane, x: _Axis, y: float, limit: int | None, label: str) -> tuple[str, float]:
    steps = [(t, v) for t, v in lane.curve if t <= x.last]
    highest = max((v for _, v in steps), default=0)
    peak = max(highest, (limit or 0) * 1.15, 1)
    zero = y + 24 + CURVE

    def cy(v: float) -> float:
        return zero - v / peak * CURVE

    line, over, before = f"M0 {n(zero)}", "", 0.0
    for (t, v), (after, _) in pairwise([*steps, (x.last, 0)]):
        if after <= x.first:
            before = v
            continue
        left = x(max(t, x.first))
        line += f"H{n(left)}V{n(cy(v))}" if v != before else ""
        before = v
        if limit is not None and v > limit:
            over += f"M{n(left)} {n(cy(limit))}V{n(cy(v))}H{n(x(after))}V{n(cy(limit))}z"
    body = path(over, "over") + path(f"M0 {n(zero)}H{WIDTH}", "axis")
    body += path(f"{line}H{n(x(x.last))}", "curve")
    body += text(0, y + 18, label, "small soft") if label else ""
    if limit is not None:
        body += path(f"M0 {n(cy(limit))}H{WIDTH}", "limit")
        body += _limit_label(steps, x, limit, cy)
        if highest > limit:
            body += _peak_label(steps, x, cy, highest)
    return body, zero


def _limit_label(steps, x: _Axis, limit: int, cy) -> str:
    """At the end of the line where the curve is lower."""
    words = f"limit {count(limit)}"
    reach = wide(words) + 8
    at_start = max((v for t, v in steps if x(max(t, x.first)) < reach), default=0)
    before_end = [v for t, v in steps if x(max(t, x.first)) <= WIDTH - reach][-1:]
    at_end = max(
        [*before_end, *(v for t, v in steps if x(max(t, x.first)) > WIDTH - reach)], default=0
    )
    end = at_start > at_end
    return text(WIDTH if end else 0, cy(limit) - 6, words, "t-limit halo" + (" end" if end else ""))


def _peak_label(steps, x: _Axis, cy, highest: float) -> str:
    """The highest count, over the middle of the step where it is reached first."""
    i = next(i for i, (_, v) in enumerate(steps) if v == highest)
    until = steps[i + 1][0] if i + 1 < len(steps) else x.last
    middle, words = (x(steps[i][0]) + x(until)) / 2, count(highest)
    half = wide(words) / 2
    at = min(max(middle, half), WIDTH - half)
    return text(at, cy(highest) + 16, words, "bold t-limit halo mid")
