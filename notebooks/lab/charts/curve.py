"""The curve of a lane against the limit."""

from itertools import pairwise

from .lane import Axis, Lane
from .svg import WIDTH, count, inside, n, path, text, wide

CURVE = 78  # height of the curve


def curve(
    lane: Lane, x: Axis, y: float, limit: int | None, peak: float, label: str
) -> tuple[str, float]:
    """How many were let in during the last window; what is above the limit is filled."""
    steps = [(t, v) for t, v in lane.curve if t <= x.last]
    highest = max((v for _, v in steps), default=0)
    low_limit = limit is not None and limit / peak < 0.7  # its label fits under the first line
    zero = y + CURVE + (28 if limit is None or low_limit else 46)

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
    body += text(0, y + 18, label, "small soft halo") if label else ""
    if limit is not None:
        body += path(f"M0 {n(cy(limit))}H{WIDTH}", "limit")
        body += _limit_label(steps, x, limit, cy)
        if highest > limit:
            body += _peak_label(steps, x, cy, highest, wide(label, 14) if low_limit else 0)
    return body, zero


def _limit_label(steps, x: Axis, limit: int, cy) -> str:
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


def _peak_label(steps, x: Axis, cy, highest: float, room: float) -> str:
    """The highest count: inside the step where it is reached first, or over a narrow one."""
    i = next(i for i, (_, v) in enumerate(steps) if v == highest)
    until = steps[i + 1][0] if i + 1 < len(steps) else x.last
    left, right, words = x(steps[i][0]), x(until), count(highest)
    at = inside((left + right) / 2, words)
    above = right - left < wide(words) and at - wide(words) / 2 > room
    return text(at, cy(highest) + (-6 if above else 17), words, "bold t-limit halo mid")
