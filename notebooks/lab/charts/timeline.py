"""Presses on a time axis, and under them how many were let in during the last window."""

from collections.abc import Sequence

from .curve import curve
from .lane import Axis, Lane
from .marks import marks
from .svg import WIDTH, Svg, frame, heading, inside, n, path, text, ticks_for, wide


def timeline(
    lanes: Sequence[Lane] | Lane,
    *,
    limit: int | None = None,
    span: tuple[float, float] | None = None,
    ticks: Sequence[tuple[float, str]] | None = None,
    edges: Sequence[float] = (),
    curve_label: str = "let in during the last second",
    title: str = "",
    desc: str = "",
    name: str = "",
) -> Svg:
    """Lanes of presses on one axis, each with its curve against the limit. Times are seconds.

    `edges` are dotted lines where windows begin. Presses outside `span` are not drawn.
    """
    lanes = [lanes] if isinstance(lanes, Lane) else list(lanes)
    span = span or _span(lanes)
    x = Axis(*span)
    peak = max([limit or 1, *(v for lane in lanes for t, v in lane.curve if t <= span[1])])
    body, y = heading(title) if title else ("", 0.0)
    top = y
    for i, lane in enumerate(lanes):
        drawn, y = _lane(lane, x, y + (12 if i else 0), limit, peak, curve_label)
        body += drawn
    if edges:
        body = (
            path("".join(f"M{n(x(e))} {n(top + 26)}V{n(y)}" for e in edges), "axis dotted") + body
        )
    for t, label in ticks or [(t, f"{t:.10g} s") for t in ticks_for(*span)]:
        body += path(f"M{n(x(t))} {n(y)}v5", "axis")
        body += text(inside(x(t), label), y + 20, label, "soft mid")
    said = "; ".join(f"{lane.name}: {lane.verdict}" for lane in lanes)
    return frame(body, y + 22, title or lanes[0].name, desc or said, name)


def _span(lanes: Sequence[Lane]) -> tuple[float, float]:
    """From the first press (0 at the latest) to the end of the last curve."""
    times = [t for lane in lanes for t, _ in [*lane.presses, *lane.curve]] or [0.0]
    first, last = min(0.0, *times) if len(times) > 1 else 0.0, max(times)
    return first, last if last > first else first + 1


def _lane(
    lane: Lane, x: Axis, y: float, limit: int | None, peak: float, label: str
) -> tuple[str, float]:
    """The lane from y down, its curve on a scale up to `peak`; and where it ends."""
    body = text(0, y + 14, lane.name, "bold halo")
    if wide(lane.name) * 1.06 + wide(lane.verdict) > WIDTH - 12:
        y += 19
        body += text(0, y + 14, lane.verdict, "soft")
    else:
        body += text(WIDTH, y + 14, lane.verdict, "soft end")
    drawn, y = marks(lane, x, y + 28)
    body += drawn
    if lane.curve:
        drawn, y = curve(lane, x, y + 6, limit, peak, label)
        body += drawn
    return body, y + 12
