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
    dots,
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


KINDS = ("ordered", "in flight", "returned", "in stock", "lost")


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
    return "".join(_torn(x, y, s) for x, y in at)


def _torn(x: float, y: float, s: float) -> str:
    """A hole with a ragged edge."""
    u = s / 4
    d = f"M{n(x)} {n(y)}l{n(u)} {n(u)}l{n(u)}-{n(u)}l{n(u)} {n(u)}l{n(u)}-{n(u)}l-{n(u * 0.6)} {n(2 * u)}"
    d += f"l{n(u * 0.6)} {n(2 * u)}l-{n(u)}-{n(u)}l-{n(u)} {n(u)}l-{n(u)}-{n(u)}l-{n(u)} {n(u)}"
    return path(d + f"l{n(u * 0.6)}-{n(2 * u)}z", "no")


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

    `lost` items are torn holes; `note` says in a few words what tore them. Sold too often (more
    than `total`) is drawn too: the squares beyond the last row are the ones nobody has.
    """
    if min(ordered, in_flight, returned, lost) < 0 or total < 1:
        raise ValueError("an item cannot be in a place less than 0 times")
    stock = max(0, total - ordered - in_flight - returned - lost)
    counts = dict(zip(KINDS, (ordered, in_flight, returned, stock, lost), strict=True))
    kinds = [kind for kind in KINDS for _ in range(counts[kind])]
    body, y = heading(title) if title else ("", 0.0)
    across = 25 if total <= 500 else 50
    pitch = WIDTH / (across + 0.2 * (across / 5 - 1))
    side = pitch * 0.78
    places: dict[str, list[Point]] = {kind: [] for kind in KINDS}
    for i, kind in enumerate(kinds):
        row, col = divmod(i, across)
        extra = 10 if i >= total else 0
        places[kind].append((col * pitch + col // 5 * pitch * 0.2 + 1, y + 2 + extra + row * pitch))
    body += "".join(_squares(kind, at, side) for kind, at in places.items())
    y += -(-max(len(kinds), total) // across) * pitch + (10 if len(kinds) > total else 0) + 8
    if len(kinds) > total:
        over = f"{count(len(kinds) - total)} more than there are"
        body += text(0, y + 14, over, "t-no bold")
        y += LINE + 4
    drawn, y = _key(counts, y)
    body += drawn
    for line in wrap(note, WIDTH):
        body += text(0, y + 14, line, "t-no" if lost else "soft")
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


def crash_points(
    points: Sequence[tuple[str, str, bool]],
    title: str = "Killed at each point, once",
    desc: str = "",
    name: str = "crash-points",
) -> Svg:
    """The consumer's path from top to bottom: (where it was killed, what came out, is that right)."""
    body, y = heading(title)
    y += 6
    axis, wrongs = 10.0, [right for _, _, right in points].count(False)
    first = y + 14
    for where, outcome, right in points:
        body += text(30, y + 14, where, "bold")
        lines = wrap(outcome, WIDTH - 52)
        body += box(axis - 8, y + 2, 16, 16, "cut") + path(f"M{axis - 5} {n(y + 4)}l10 12", "no")
        mark_y = y + LINE + 9
        body += dots([(36, mark_y)], 8) if right else crosses([(36, mark_y)], 4)
        for i, line in enumerate(lines):
            body += text(48, y + (i + 1) * LINE + 14, line, "" if right else "t-no")
        y += (len(lines) + 1) * LINE + 8
    road = path(f"M{axis} {n(first - 14)}V{n(y)}M{axis - 4} {n(y - 5)}l4 5l4-5", "axis")
    said = "; ".join(f"{where}: {outcome}" for where, outcome, _ in points)
    return frame(road + body, y + 4, title, desc or f"{said}. {wrongs} wrong.", name)


def interleavings(
    orders: Sequence[bool] | Sequence[tuple[str, bool]],
    title: str,
    desc: str = "",
    name: str = "interleavings",
    good: str = "one sold",
    bad: str = "oversold",
) -> Svg:
    """All orders of events, one cell each: a cross where the order oversells, a circle where not.

    `orders` holds (letters, is it good), as ("ABAB", False), or the verdicts alone. Up to 12
    orders show their letters.
    """
    pairs = [entry if isinstance(entry, tuple) else ("", entry) for entry in orders]
    if not pairs:
        raise ValueError("there is no order to draw; give at least one")
    named = len(pairs) <= 12 and any(letters for letters, _ in pairs)
    body, y = heading(title)
    y += 4
    across = min(len(pairs), 6 if named else 18)
    w, h = min(WIDTH / across, 76 if named else 30), 46 if named else WIDTH / 18
    spots: dict[bool, list[Point]] = {True: [], False: []}
    for i, (letters, right) in enumerate(pairs):
        x, top = i % across * w, y + i // across * h
        body += box(x + 1, top + 1, w - 4, h - 4, "box", rx=3)
        spots[bool(right)].append((x + w / 2 - 1, top + (31 if named else h / 2 - 1)))
        if named:
            body += text(x + w / 2 - 1, top + 19, letters, "small mid")
    body += dots(spots[True], 9) + crosses(spots[False], 4.5)
    y += -(-len(pairs) // across) * h + 6
    for right, words, x in ((False, bad, 6.0), (True, good, WIDTH / 2)):
        spot = [(x, y + 9)]
        body += dots(spot, 9) if right else crosses(spot, 4.5)
        body += text(x + 12, y + 14, f"{len(spots[right])} {words}", "t-in" if right else "t-no")
    said = f"{len(spots[False])} of {len(pairs)} orders: {bad}; {len(spots[True])}: {good}."
    return frame(body, y + LINE + 2, title, desc or said, name)
