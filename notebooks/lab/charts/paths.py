"""What can happen on the way: crash points, and the orders in which events fall."""

from collections.abc import Sequence

from .svg import LINE, WIDTH, Point, Svg, box, crosses, dots, frame, heading, n, path, text, wrap


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
        body += box(axis - 8, y + 5, 16, 8, "cut")  # the road is broken here
        body += path(f"M{n(axis - 7)} {n(y + 8)}l14-6m-14 14l14-6", "curve")
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
