"""The shop's own pictures: the five boxes, the bar of squares, the crash points."""

from collections.abc import Sequence

from .svg import (
    LINE,
    WIDTH,
    Point,
    Svg,
    box,
    count,
    crosses,
    frame,
    heading,
    n,
    path,
    text,
    wide,
    wrap,
)

BOXES = ("people", "limit", "deduct", "queue", "sql")
_WIDE, _GAP, _HIGH = 76, 19, 46


def boxes(lit: Sequence[str] = (), name: str = "five-boxes") -> Svg:
    """The road of a press, from people to SQL; `lit` names the boxes of the day."""
    lit = [word.lower() for word in ([lit] if isinstance(lit, str) else lit)]
    if strange := set(lit) - set(BOXES):
        raise ValueError(f"no box is called {sorted(strange)[0]!r}; choose from {BOXES}")
    body = ""
    for i, key in enumerate(BOXES):
        x, on = i * (_WIDE + _GAP), key in lit
        label = "SQL" if key == "sql" else key.capitalize()
        body += box(x + 1.5, 2, _WIDE - 3, _HIGH, "lit" if on else "box", rx=6)
        body += text(x + _WIDE / 2, 30, label, "bold mid" + (" t-accent" if on else ""))
        if i < 4:  # fewer get through each gate
            left, half = x + _WIDE + 2, (11, 6, 3.5, 3.5)[i]
            body += path(f"M{left} {n(25 - half)}L{left + 15} 25L{left} {n(25 + half)}z", "f-flow")
    road = (
        "The road of a press: people, the gateway's limit, the deduction in Redis, the queue, SQL."
    )
    lights = f" Lit: {', '.join(lit)}." if lit else ""
    return frame(body, _HIGH + 4, "The five boxes", road + lights, name)


KINDS = ("ordered", "in flight", "returned", "in stock", "lost", "oversold")


def _squares(kind: str, at: Sequence[Point], s: float) -> str:
    """Squares of one kind, told apart by shape as well as by colour."""
    if not at:
        return ""
    outline = "".join(f"M{n(x)} {n(y)}h{n(s)}v{n(s)}h-{n(s)}z" for x, y in at)
    if kind == "ordered":
        return path(outline, "f-in")
    if kind == "in flight":
        half = "".join(f"M{n(x)} {n(y + s)}v-{n(s)}L{n(x + s)} {n(y + s)}z" for x, y in at)
        return path(half, "f-accent") + path(outline, "lag")
    if kind == "returned":
        bar = "".join(f"M{n(x)} {n(y + s / 2)}h{n(s)}" for x, y in at)
        return path(outline + bar, "axis")
    if kind == "in stock":
        return path(outline, "axis")
    if kind == "oversold":
        return path(outline, "no") + crosses([(x + s / 2, y + s / 2) for x, y in at], s / 4)
    return "".join(_torn(x, y, s) for x, y in at)


def _torn(x: float, y: float, s: float) -> str:
    """A hole with a ragged edge: the outline of a square, torn inwards on every side."""
    ragged = ((0, 0), (45, 14), (70, 0), (100, 8), (84, 40), (100, 66), (92, 100), (58, 84))
    ragged += ((30, 100), (0, 92), (16, 60), (0, 34))
    return path(
        "M" + "L".join(f"{n(x + a * s / 100)} {n(y + b * s / 100)}" for a, b in ragged) + "z",
        "torn",
    )


def hundred(
    ordered: int = 0,
    in_flight: int = 0,
    returned: int = 0,
    lost: int = 0,
    total: int = 100,
    title: str = "",
    note: str = "",
    name: str = "hundred",
) -> Svg:
    """Every item for sale, and where it is now. What is nowhere else is still in stock.

    `lost` items are torn holes; `note` says in a few words what tore them. Orders beyond `total`
    are oversold: squares in rows of their own, for items that nobody has.
    """
    if min(ordered, in_flight, returned, lost) < 0 or total < 1:
        raise ValueError("an item cannot be in a place less than 0 times")
    elsewhere = in_flight + returned + lost
    oversold = max(0, ordered + elsewhere - total)
    if oversold > ordered:
        raise ValueError(f"{elsewhere:,} items in flight, returned and lost, of {total:,} in all")
    stock = max(0, total - ordered - elsewhere)
    amounts = (ordered - oversold, in_flight, returned, stock, lost, oversold)
    counts = dict(zip(KINDS, amounts, strict=True))
    kinds = [kind for kind in KINDS for _ in range(counts[kind])]
    body, y = heading(title) if title else ("", 0.0)
    across = 25 if total <= 500 else 50
    pitch = WIDTH / (across + 0.2 * (across / 5 - 1))
    side = pitch * 0.78
    places: dict[str, list[Point]] = {kind: [] for kind in KINDS}
    for i, kind in enumerate(kinds):
        row, col = divmod(i, across)
        extra = 10 if kind == "oversold" else 0
        places[kind].append((col * pitch + col // 5 * pitch * 0.2 + 1, y + 2 + extra + row * pitch))
    body += "".join(_squares(kind, at, side) for kind, at in places.items())
    y += -(-max(len(kinds), total) // across) * pitch + (10 if oversold else 0) + 8
    drawn, y = _key(counts, y)
    body += drawn
    for line in wrap(note, WIDTH):
        body += text(0, y + 14, line, "t-no" if lost or oversold else "soft")
        y += LINE
    said = ", ".join(f"{count(many)} {kind}" for kind, many in counts.items() if many)
    return frame(
        body, y + 2, title or f"The {count(total)} for sale", f"{said}. {note}".strip(), name
    )


def _key(counts: dict[str, int], y: float) -> tuple[str, float]:
    """A square of each kind with its count and its name, flowing over lines."""
    body, x = "", 1.0
    for kind, many in counts.items():
        if not many:
            continue
        words = f"{count(many)} {kind}"
        room = 20 + wide(words) + 14
        if x > 1 and x + room - 14 > WIDTH:
            x, y = 1.0, y + LINE + 3
        body += _squares(kind, [(x, y + 3)], 12) + text(x + 19, y + 14, words)
        x += room
    return body, y + LINE + 4
