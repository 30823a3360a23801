"""The presses of a lane: a circle or a cross for each, bars when there are too many."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from math import ceil, floor

from .lane import Axis, Lane
from .svg import WIDTH, Point, box, count, crosses, dots, inside, n, path, text

MOST_MARKS = 24  # marks in one stack; with more of them, one bar stands for each moment
STRIP = 118  # the tallest that a stack of marks may be


def marks(lane: Lane, x: Axis, y: float) -> tuple[str, float]:
    """A circle or a cross for each press, stacked by moment; bars when there are too many."""
    seen = [(t, ok) for t, ok in lane.presses if x.first <= t <= x.last]
    groups = Counter(t for t, _ in seen)
    places = [x(t) for t in sorted(groups)]
    gap = min((b - a for a, b in pairwise(places)), default=WIDTH / 4)
    most = max(groups.values(), default=1)
    pitch = 7.4 if most <= 12 else 5.6
    ends = [(t, places[k]) for k, t in ((0, min(groups)), (-1, max(groups)))] if groups else []
    pushed = any(groups[t] > 12 and not 40 < at < WIDTH - 40 for t, at in ends)
    room = gap * 0.62 if pushed else gap - pitch  # a stack at the edge is pushed inwards
    across = max(1, min(floor(room / pitch), ceil(most / 12)))
    tall = ceil(most / across)
    if gap < 2.5 or tall > MOST_MARKS:
        return _bars(seen, x, y)
    base, done, spots = y + (tall - 1) * pitch, Counter(), {True: [], False: []}
    for t, ok in seen:
        i, wide_here = done[t], ceil(groups[t] / tall)
        done[t] += 1
        half = (wide_here - 1) / 2 * pitch
        at = min(max(x(t) - half, 3), WIDTH - 3 - 2 * half) + i // tall * pitch
        spots[bool(ok)].append((at, base - i % tall * pitch))
    axis = path(f"M0 {n(base + 7)}H{WIDTH}", "axis")
    r = 3.2 if pitch > 7 else 2.3
    return axis + dots(spots[True], pitch - 1) + crosses(spots[False], r), base + 7


def _bars(seen: Sequence[tuple[float, bool]], x: Axis, y: float) -> tuple[str, float]:
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
            stack: list[Point] = [(left + 3.2, bottom - (k + 0.5) * high) for k in range(rows)]
            body += crosses(stack, min(2.6, high / 2))
    peak = max(total, key=lambda i: (total[i], -i))
    same = Counter(t for t, _ in seen if int(x(t) // 8) == peak).most_common(1)[0][1]
    words = f"{count(same)} at once" if 2 * same > total[peak] else f"at most {count(total[peak])}"
    body += text(inside(peak * 8 + 4, words), base - STRIP - 6, words, "small soft mid")
    return path(f"M0 {n(base)}H{WIDTH}", "axis") + body, base
