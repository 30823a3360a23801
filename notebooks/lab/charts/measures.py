"""Measured things: bars, growth, spike and plateau, ranks."""

from collections.abc import Sequence
from math import ceil, floor, log10

from .svg import (
    LINE,
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


def bars(
    rows: Sequence[tuple[str, float]],
    unit: str = "",
    *,
    title: str,
    log: bool = False,
    limit: float | None = None,
    desc: str = "",
    name: str = "",
) -> Svg:
    """Horizontal bars, each under its label, its value at its end.

    With `log`, each step of ten is equally long and a bar starts at the power of ten below the
    smallest value. A value above `limit` is drawn in the colour of a refusal, with a cross.
    """
    values = [value for _, value in rows]
    if not rows or min(values) < 0 or (log and min(values) <= 0):
        raise ValueError("bars need values of at least 0, and above 0 on a log scale")
    most = max([*values, limit or 0]) or 1
    low = (
        floor(log10(min([*values, limit or min(values)]))) - (0 if min(values) != most else 1)
        if log
        else 0
    )
    shown = [f"{count(value)}{f' {unit}' if unit else ''}" for value in values]
    room = WIDTH - max(wide(words) for words in shown) - 24

    def x(value: float) -> float:
        return (
            (log10(value) - low) / ((log10(most) - low) or 1) * room if log else value / most * room
        )

    body, y = heading(title)
    top = y
    for (label, value), words in zip(rows, shown, strict=True):
        over = limit is not None and value > limit
        length = max(x(value), 1)
        body += text(0, y + 16, label)
        body += box(0, y + 22, length, 12, "f-no" if over else "f-ink")
        body += crosses([(length + 10, y + 28)], 4) if over else ""
        body += text(
            length + (20 if over else 8), y + 33, words, "bold" + (" t-no" if over else "")
        )
        y += 44
    if limit is not None:
        body += path(f"M{n(x(limit))} {n(top + 18)}V{n(y)}", "limit")
        words = f"limit {count(limit)}"
        at = min(max(x(limit), wide(words) / 2), WIDTH - wide(words) / 2)
        body += text(at, y + 16, words, "t-limit mid")
        y += LINE
    if log:
        body += text(0, y + 15, "each step of ten is equally long", "soft small")
        y += LINE
    said = "; ".join(f"{label}: {words}" for (label, _), words in zip(rows, shown, strict=True))
    return frame(body, y + 2, title, desc or said, name)


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
        body += text(px(v), bottom + 20, _short(v), "soft mid")
    body += text(left, bottom + 40, x, "soft")
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
    return frame(body, bottom + 46, title, desc or f"{y} by {x}. {said}.", name)


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
        half = wide(words) / 2
        at = min(max((a + b) / 2, half), WIDTH - half)
        body += text(at, y + 22, words, "t-accent bold mid")
        y += 26
    for t in ticks_for(0, slots / 10):
        words = f"{t:.10g} s"
        half = wide(words) / 2
        at = min(max(t * 10 * each, half), WIDTH - half)
        body += text(at, y + 16, words, "soft mid")
    said = (
        f"{count(sum(presses_per_100ms))} {top_label} in {ends[0] / 10:.1f} s; "
        f"{count(sum(rows_per_100ms))} {low_label} in {ends[1] / 10:.1f} s."
    )
    return frame(body, y + 20, title, desc or said, name)


def board(
    rows: Sequence[tuple[str, float]],
    *,
    title: str,
    unit: str = "sold",
    ranks: Sequence[int] | None = None,
    mark: str = "",
    desc: str = "",
    name: str = "board",
) -> Svg:
    """A leaderboard: rank, name, bar. The rows come ranked; `mark` names the one to light."""
    ranks = ranks or range(1, len(rows) + 1)
    most = max((value for _, value in rows), default=1) or 1
    body, y = heading(title)
    names = max((wide(label) for label, _ in rows), default=0) + 44
    room = WIDTH - names - max((wide(count(v)) for _, v in rows), default=0) - 14
    for rank, (label, value) in zip(ranks, rows, strict=True):
        lit = " t-accent bold" if label == mark else ""
        length = max(value / most * room, 1)
        body += text(24, y + 18, str(rank), f"soft end{lit}") + text(36, y + 18, label, lit.strip())
        body += box(names, y + 7, length, 12, "f-accent" if lit else "f-ink")
        body += text(names + length + 8, y + 18, count(value), "bold")
        y += 26
    said = "; ".join(
        f"{r}. {label}, {count(v)} {unit}" for r, (label, v) in zip(ranks, rows, strict=True)
    )
    return frame(body, y + 2, title, desc or said, name)
