"""Cells that belong together stand together: an exercise in a frame, an optional box in a fold."""

import re
from collections.abc import Iterator
from itertools import groupby


def arrange(cells: list, html: dict[str, str]) -> Iterator[str]:
    """The cells' HTML (by id), in order, gathered into boxes and, inside and outside them, exercises."""
    for run in _runs(cells, "box"):
        inside = "\n".join(_exercises(run, html))
        yield _box(inside) if "box" in run[0].tags else inside


def _exercises(cells: list, html: dict[str, str]) -> Iterator[str]:
    for run in _runs(cells, "exercise"):
        inside = "\n".join(html[cell.ident] for cell in run)
        named = "exercise" in run[0].tags
        yield (
            f'<section class="exercise" data-exercise="{run[0].ident}">{inside}</section>'
            if named
            else inside
        )


def _runs(cells: list, tag: str) -> list[list]:
    """Neighbours that all carry the tag, or all do not; a heading of a tagged cell begins a new run."""
    heading = r"##? Box · " if tag == "box" else r"##? "  # an exercise may stand inside a box
    part = 0
    keyed = []
    for cell in cells:
        opens = cell.kind == "markdown" and re.match(heading, cell.source) is not None
        part += tag in cell.tags and opens
        keyed.append(((tag in cell.tags, part if tag in cell.tags else -1), cell))
    return [[cell for _, cell in run] for _, run in groupby(keyed, key=lambda pair: pair[0])]


def _box(inside: str) -> str:
    """An optional section, folded under its own heading: "Box · Title (15 minutes, optional)"."""
    found = re.search(
        r"<(h[23]) id=\"([^\"]+)\">\s*Box · (.*?)(?: \(([^)]*)\))?(<a.*?</a>)?</\1>", inside
    )
    if not found:
        raise ValueError(
            'A box must open with a heading like "## Box · Title (15 minutes, optional)".'
        )
    level, ident, title, note, _ = found.groups()
    small = f"<small>{note}</small>" if note else ""
    summary = f'<summary><b>Box</b> <{level} id="{ident}">{title}</{level}>{small}</summary>'
    rest = inside.replace(found[0], "", 1)
    return f'<details class="box">{summary}<div class="boxed">{rest}</div></details>'
