"""Measured things: bars, growth, spike and plateau, ranks."""

from collections.abc import Sequence
from math import floor, log10

from .svg import LINE, WIDTH, Svg, box, count, crosses, frame, heading, inside, n, path, text, wide


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
        body += text(0, y + 15, label, "halo")
        body += box(0, y + 22, length, 12, "f-no" if over else "f-ink")
        body += crosses([(length + 10, y + 28)], 4) if over else ""
        body += text(
            length + (20 if over else 8), y + 33, words, "bold" + (" t-no" if over else "")
        )
        y += 48
    if limit is not None:
        body = path(f"M{n(x(limit))} {n(top + 18)}V{n(y)}", "limit") + body
        words = f"limit {count(limit)}"
        body += text(inside(x(limit), words), y + 16, words, "t-limit mid")
        y += LINE
    if log:
        body += text(0, y + 15, "each step of ten is equally long", "soft small")
        y += LINE
    said = "; ".join(f"{label}: {words}" for (label, _), words in zip(rows, shown, strict=True))
    return frame(body, y + 2, title, desc or said, name)


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
    names = max((wide(label) for label, _ in rows), default=0) * 1.08 + 44
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
