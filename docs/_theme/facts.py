"""What a notebook says about itself: day, topic, minutes, question, figures for the home page."""

import json
import re
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import outputs


@dataclass(frozen=True)
class Lesson:
    """One notebook; minutes is what its head says, optional_minutes the sum of its boxes.

    "45 minutes, a break, and 40 minutes" are 85; a box in the head is not counted twice.
    """

    day: int | None
    topic: str
    pain: str
    minutes: int
    optional_minutes: int
    question: str
    url: str
    figures: tuple[str, ...] = ()
    caption: str = ""
    meta: dict = field(default_factory=dict)


def of(path: Path, url: str = "") -> Lesson:
    """The facts of the notebook at path; cells tagged `home` lend their figures.

    Raises ValueError when the first cell does not read "# Day N · Topic", a sentence, "NN minutes".
    """
    return _read(path, path.stat().st_mtime_ns, url)


@lru_cache(maxsize=64)
def _read(path: Path, changed: int, url: str) -> Lesson:
    book = json.loads(path.read_text(encoding="utf-8"))
    cells = [("".join(c["source"]), c["metadata"].get("tags", []), c) for c in book["cells"]]
    head = next((source for source, tags, _ in cells if "head" in tags), "")
    title = re.search(r"^# (?:Day (\d+) · )?(.+)$", head, re.M)
    said = re.search(r"^\d+ minutes.*$", head, re.M)
    if not title or not said:
        raise ValueError(
            f'{path.name}: the head cell must hold "# Day N · Topic", one sentence and "NN minutes".'
        )
    paragraphs = [p.strip() for p in head.split("\n\n") if p.strip()]
    brief = next((source for source, tags, _ in cells if "brief" in tags), "")
    question = re.search(r"\*\*Question\*\*\s+(.+)", brief)
    boxes = re.findall(r"(?m)^#+ Box · .*\((\d+) minutes", "\n".join(s for s, _, _ in cells))
    lent = [cell for _, tags, cell in cells if "home" in tags]
    figures = [svg for cell in lent for svg in outputs.svgs(cell.get("outputs", []))]
    return Lesson(
        day=int(title[1]) if title[1] else None,
        topic=title[2].strip(),
        pain=_plain(paragraphs[1]) if len(paragraphs) > 2 else "",
        minutes=sum(map(int, re.findall(r"(\d+) minutes", said[0]))),
        optional_minutes=sum(map(int, boxes)),
        question=_plain(question[1]) if question else "",
        url=url,
        figures=tuple(figures),
        caption=next((c["metadata"].get("rush", {}).get("caption", "") for c in lent), ""),
        meta=dict(book["metadata"].get("mkdocs", {})),
    )


def _plain(markdown: str) -> str:
    """Markdown without its marks, on one line."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", markdown)
    return re.sub(r"\s+", " ", re.sub(r"[*_`]|<[^>]+>", "", text)).strip()
