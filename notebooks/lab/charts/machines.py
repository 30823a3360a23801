"""More than one machine: the slots of a cluster, and a failover."""

from collections.abc import Sequence

from .svg import (
    LINE,
    WIDTH,
    Svg,
    box,
    dots,
    frame,
    heading,
    inside,
    n,
    path,
    text,
    ticks_for,
    wide,
    wrap,
)

SLOTS = 16_384


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
        body += box(x(first) + 1, y + 2, x(last + 1) - x(first) - 2, 26, "box", rx=3)
        body += text((x(first) + x(last + 1)) / 2, y + 20, master, "mid bold")
    top = y + 28
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
    body += text(inside(x(cut), cut_label), y + 16, cut_label, "t-no mid")
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
                body += text(x(start) + 5, y + 43 + i * LINE, line, "soft small halo")
        y += 32 + deepest * LINE + 8
    body = path(f"M{n(x(cut))} {n(top)}V{n(y - 6)}", "no") + body
    for t in ticks_for(0, last):
        label = f"{t:.10g} s"
        body += text(inside(x(t), label), y + 14, label, "soft mid")
    said = "; ".join(
        f"{server}: " + ", ".join(f"{did} ({orders} orders)" for _, _, orders, did in stretches)
        for server, stretches in lanes
    )
    return frame(body, y + 20, title, desc or said, name)
