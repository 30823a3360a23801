"""Things that change along an axis: growth, and a spike over its plateau."""

from collections.abc import Sequence
from math import ceil, floor, log10

from .svg import (
    LINE,
    WIDTH,
    Point,
    Svg,
    box,
    count,
    dots,
    frame,
    heading,
    inside,
    n,
    path,
    text,
    ticks_for,
    wide,
)


def growth(
    series: Sequence[tuple[str, Sequence[Point]]],
    x: str,
    y: str,
    *,
    title: str,
    log: bool = True,
    desc: str = "",
    name: str = "",
) -> Svg:
    """Lines of (x, y) points named at their right end; both axes in steps of ten unless log=False.

    `x` and `y` say what the axes count, with the unit.
    """
    points = [p for _, line in series for p in line]
    if not points or (log and min(min(p) for p in points) <= 0):
        raise ValueError("growth needs points, all above 0 on a log scale")
    scale = log10 if log else float
    xs, ys = [scale(p[0]) for p in points], [scale(p[1]) for p in points]
    x0, x1 = (floor(min(xs)), ceil(max(xs))) if log else (0, max(xs))
    y0, y1 = (floor(min(ys)), ceil(max(ys))) if log else (0, max(ys))
    x1, y1 = (x1 if x1 > x0 else x0 + 1), (y1 if y1 > y0 else y0 + 1)
    body, top = heading(title)
    body += text(0, top + 14, y, "soft")
    names = max(wide(label) for label, _ in series) + 10
    ticks_y = [10.0**k for k in range(y0, y1 + 1)] if log else ticks_for(y0, y1, 5)
    ticks_x = [10.0**k for k in range(x0, x1 + 1)] if log else ticks_for(x0, x1, 5)
    left = max(wide(_short(v)) for v in ticks_y) + 8
    right, high = WIDTH - names, 190
    top += 30
    bottom = top + high

    def px(v: float) -> float:
        return left + (scale(v) - x0) / (x1 - x0) * (right - left)

    def py(v: float) -> float:
        return bottom - (scale(v) - y0) / (y1 - y0) * high

    for v in ticks_y:
        body += path(f"M{n(left)} {n(py(v))}H{n(right)}", "axis dotted")
        body += text(left - 6, py(v) + 5, _short(v), "soft end")
    for v in ticks_x:
        body += text(px(v), bottom + 24, _short(v), "soft mid")
    body += text(left, bottom + 44, x, "soft")
    ends = sorted((py(line[-1][1]), i) for i, (_, line) in enumerate(series))
    at, floor_y = {}, top
    for end, i in ends:  # names do not lie on each other
        at[i] = floor_y = max(end + 5, floor_y)
        floor_y += LINE
    for i, (label, line) in enumerate(series):
        d = "M" + "L".join(f"{n(px(a))} {n(py(b))}" for a, b in line)
        body += path(d, ("curve", "lag")[i % 2])
        body += dots([(px(a), py(b)) for a, b in line], 6, ("curve", "lag")[i % 2] + " round")
        body += text(px(line[-1][0]) + 8, at[i], label, "bold" + (" t-accent" if i % 2 else ""))
    said = "; ".join(
        f"{label}: from {count(line[0][1])} at {count(line[0][0])} to {count(line[-1][1])} "
        f"at {count(line[-1][0])}"
        for label, line in series
    )
    return frame(body, bottom + 50, title, desc or f"{y} by {x}. {said}.", name)


def _short(value: float) -> str:
    """1,000 as 1k, a million as 1M."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.4g}{letter}"
    return f"{value:.4g}"


def spike(
    presses_per_100ms: Sequence[int],
    rows_per_100ms: Sequence[int],
    *,
    title: str,
    top_label: str = "presses",
    low_label: str = "rows written",
    desc: str = "",
    name: str = "spike",
) -> Svg:
    """Presses per 100 ms over rows written per 100 ms, on the same time axis, lag between."""
    slots = max(len(presses_per_100ms), len(rows_per_100ms), 1)
    each = WIDTH / slots
    body, y = heading(title)
    ends = []
    for series, label, kind, high in (
        (presses_per_100ms, top_label, "f-ink", 110),
        (rows_per_100ms, low_label, "f-in", 60),
    ):
        peak = max(series, default=0)
        body += text(0, y + 14, f"{label} per 100 ms", "soft") + text(
            WIDTH, y + 14, f"at most {count(peak)}", "bold end"
        )
        base = y + 24 + high
        for i, value in enumerate(series):
            tall = value / (peak or 1) * high
            body += box(i * each, base - tall, max(each - 1, 0.6), tall, kind) if value else ""
        body += path(f"M0 {n(base)}H{WIDTH}", "axis")
        ends.append(max((i + 1 for i, value in enumerate(series) if value), default=0))
        y = base + 12
    if ends[1] > ends[0]:
        a, b = ends[0] * each, ends[1] * each
        body += path(f"M{n(a)} {n(y - 2)}v8h{n(b - a)}v-8", "lag")
        words = f"{(ends[1] - ends[0]) / 10:.1f} s later"
        body += text(inside((a + b) / 2, words), y + 22, words, "t-accent bold mid")
        y += 26
    for t in ticks_for(0, slots / 10):
        words = f"{t:.10g} s"
        body += text(inside(t * 10 * each, words), y + 16, words, "soft mid")
    said = (
        f"{count(sum(presses_per_100ms))} {top_label} in {ends[0] / 10:.1f} s; "
        f"{count(sum(rows_per_100ms))} {low_label} in {ends[1] / 10:.1f} s."
    )
    return frame(body, y + 20, title, desc or said, name)
