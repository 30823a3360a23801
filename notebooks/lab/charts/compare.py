"""Pictures of several machines or several limiters side by side."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .svg import LINE, Svg, columns, count, crosses, dots, frame, heading, n, path, text


@dataclass(frozen=True)
class Verdict:
    """What one limiter did with one trace: let in, in all and in the worst second."""

    limiter: str
    let_in: int
    worst: int
    curve: Sequence[tuple[float, float]] = ()


def compare(
    traces: Mapping[str, Sequence[Verdict]],
    *,
    limit: int,
    title: str,
    desc: str = "",
    name: str = "compare",
) -> Svg:
    """Small multiples: a column for each trace, a row for each limiter, against the same limit.

    Every cell holds the curve of the last second and the worst second's count; a cross marks a
    worst second above the limit.
    """
    body, y = heading(title)
    body += text(0, y + 12, f"let in · in the worst second; dashed: limit {limit}", "soft small")
    y += LINE + 6
    peak = max([limit * 1.2] + [v.worst for row in traces.values() for v in row])
    cells = columns(list(traces), gap=14)
    for trace, (x, _) in zip(traces, cells, strict=True):
        body += text(x, y + 14, trace, "bold")
    y += 28
    for i, verdict in enumerate(next(iter(traces.values()))):
        body += text(0, y + 14, verdict.limiter)
        top, high = y + 24, 40
        base = top + high
        for row, (x, w) in zip(traces.values(), cells, strict=True):
            cell = row[i]
            if cell.limiter != verdict.limiter:
                raise ValueError("every trace needs the same limiters in the same order")
            body += _cell(cell, x, w, base, high, peak, limit)
        y = base + 32
    said = "; ".join(
        f"{trace}: " + ", ".join(f"{v.limiter} {v.let_in} (worst second {v.worst})" for v in row)
        for trace, row in traces.items()
    )
    return frame(body, y - 4, title, desc or said, name)


def _cell(
    cell: Verdict, x: float, w: float, base: float, high: float, peak: float, limit: int
) -> str:
    line = base - limit / peak * high
    body = path(f"M{n(x)} {n(base)}h{n(w)}", "axis")
    if cell.curve:
        last = max(t for t, _ in cell.curve) or 1
        d, over = f"M{n(x)} {n(base)}", ""
        for (t, v), (after, _) in zip(cell.curve, [*cell.curve[1:], (last, 0)], strict=True):
            left, y = x + t / last * w, base - v / peak * high
            d += f"H{n(left)}V{n(y)}"
            if v > limit:
                over += f"M{n(left)} {n(line)}V{n(y)}H{n(x + after / last * w)}V{n(line)}z"
        body += path(over, "over") + path(d, "curve")
    body += path(f"M{n(x)} {n(line)}h{n(w)}", "limit")
    bad = cell.worst > limit
    mark = [(x + 5, base + 12)]
    body += crosses(mark, 3.6) if bad else dots(mark, 7.5)
    words = f"{count(cell.let_in)} · {count(cell.worst)}"
    return body + text(x + 15, base + 17, words, "small" + (" t-no" if bad else ""))
