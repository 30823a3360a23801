"""Pictures of several machines or several limiters side by side."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .svg import (
    LINE,
    WIDTH,
    Svg,
    box,
    columns,
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
    wrap,
)

SLOTS = 16_384


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
    peak = max([limit * 1.2] + [v.worst for row in traces.values() for v in row])
    cells = columns(list(traces), gap=14)
    for trace, (x, _) in zip(traces, cells, strict=True):
        body += text(x, y + 14, trace, "bold")
    y += 24
    for i, verdict in enumerate(next(iter(traces.values()))):
        body += text(0, y + 14, verdict.limiter)
        top, high = y + 24, 40
        base = top + high
        for row, (x, w) in zip(traces.values(), cells, strict=True):
            cell = row[i]
            if cell.limiter != verdict.limiter:
                raise ValueError("every trace needs the same limiters in the same order")
            body += _cell(cell, x, w, base, high, peak, limit)
        y = base + 24
    said = "; ".join(
        f"{trace}: " + ", ".join(f"{v.limiter} {v.let_in} (worst second {v.worst})" for v in row)
        for trace, row in traces.items()
    )
    body += text(0, y + 12, f"let in, and the worst second; dashed: limit {limit}", "soft small")
    return frame(body, y + 18, title, desc or said, name)


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


def slots(
    masters: Sequence[tuple[str, int, int]],
    keys: Sequence[tuple[str, int]],
    *,
    title: str,
    desc: str = "",
    name: str = "slots",
) -> Svg:
    """The 16,384 slots of a cluster as one strip: (master, first slot, last slot), and keys in it."""
    body, y = heading(title)
    y += 4

    def x(slot: int) -> float:
        return slot / SLOTS * WIDTH

    for master, first, last in masters:
        body += box(x(first) + 1, y + 18, x(last + 1) - x(first) - 2, 26, "box", rx=3)
        body += text((x(first) + x(last + 1)) / 2, y + 36, master, "mid bold")
    top = y + 44
    y = top + 8
    for key, slot in sorted(keys, key=lambda pair: pair[1]):
        if not 0 <= slot < SLOTS:
            raise ValueError(f"slot {slot} of {key!r} is not between 0 and {SLOTS - 1:,}")
        words = f"{key} → {slot:,}"
        body += path(f"M{n(x(slot))} {n(top - 4)}V{n(y + 14)}", "lag")
        body += dots([(x(slot), top - 4)], 7, "lag round")
        right = x(slot) + 8 + wide(words) > WIDTH
        at = x(slot) - 8 if right else x(slot) + 8
        body += text(at, y + 15, words, "halo" + (" end" if right else ""))
        y += LINE + 3
    homes = [
        f"{key} in slot {slot:,} on {next((m for m, a, b in masters if a <= slot <= b), 'no master')}"
        for key, slot in keys
    ]
    return frame(body, y + 4, title, desc or "; ".join(homes), name)


def failover(
    lanes: Sequence[tuple[str, Sequence[tuple[float, float, int, str]]]],
    *,
    cut: float,
    title: str,
    cut_label: str = "the line is cut",
    desc: str = "",
    name: str = "failover",
) -> Svg:
    """One lane for each server: stretches of (from s, to s, orders taken, what it did).

    `cut` is the moment from which the servers do not hear each other.
    """
    ends = [end for _, stretches in lanes for _, end, _, _ in stretches]
    last = max([*ends, cut]) or 1

    def x(t: float) -> float:
        return t / last * WIDTH

    body, y = heading(title)
    words = wide(cut_label)
    body += text(min(max(x(cut), words / 2), WIDTH - words / 2), y + 16, cut_label, "t-no mid")
    top, y = y + 22, y + 30
    for server, stretches in lanes:
        body += text(0, y + 14, server, "bold halo")
        y += 24
        deepest = 0
        for start, end, orders, did in stretches:
            w = x(end) - x(start) - 3
            body += box(x(start) + 1, y, w, 26, "f-tint" if orders else "box", rx=3)
            body += text(x(start) + w / 2, y + 18, f"+{orders}" if orders else "", "bold t-in mid")
            lines = wrap(did, max(w, 60))
            deepest = max(deepest, len(lines))
            for i, line in enumerate(lines):
                body += text(x(start) + 2, y + 43 + i * LINE, line, "soft small halo")
        y += 32 + deepest * LINE + 8
    body = path(f"M{n(x(cut))} {n(top)}V{n(y - 6)}", "no") + body
    for t in ticks_for(0, last):
        label = f"{t:.10g} s"
        half = wide(label) / 2
        body += text(min(max(x(t), half), WIDTH - half), y + 14, label, "soft mid")
    said = "; ".join(
        f"{server}: " + ", ".join(f"{did} ({orders} orders)" for _, _, orders, did in stretches)
        for server, stretches in lanes
    )
    return frame(body, y + 20, title, desc or said, name)
