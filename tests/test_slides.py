"""The slides are the notebooks: nothing is written twice, and nothing is asked from a network."""

import importlib
import json
import re
import sys
from html import unescape
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "tools"))
slides = importlib.import_module("slides")

pytestmark = pytest.mark.once

LESSONS = sorted((ROOT / "notebooks").glob("day*.ipynb"))


def cells(path: Path) -> list[dict]:
    return json.loads(path.read_text(encoding="utf-8"))["cells"]


def words(html: str) -> str:
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", html)))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    into = tmp_path_factory.mktemp("slides")
    assert slides.main(["--into", str(into)]) == 0
    return into


def test_every_lesson_has_slides(folder):
    assert sorted(p.stem for p in folder.glob("*.html")) == [p.stem for p in LESSONS]


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_every_heading_and_every_printed_line_is_on_a_slide(path, folder):
    said = words((folder / f"{path.stem}.html").read_text(encoding="utf-8"))
    for cell in cells(path):
        if set(cell["metadata"].get("tags", ())) & slides.LEFT_OUT:
            continue
        if cell["cell_type"] == "markdown":
            for heading in re.findall(r"^#+ (.+)$", "".join(cell["source"]), re.M):
                assert re.sub(r"[*`]", "", heading) in said
        for out in cell.get("outputs", ()):
            for line in "".join(out.get("text", "")).splitlines():
                assert re.sub(r"\s+", " ", line).strip() in said


def test_no_solution_no_check_and_no_box_is_shown(folder):
    for path in LESSONS:
        html = unescape((folder / f"{path.stem}.html").read_text(encoding="utf-8"))
        hidden = [
            "".join(cell["source"])
            for cell in cells(path)
            if set(cell["metadata"].get("tags", ())) & {"solution", "check"}
        ]
        assert hidden
        assert not [source for source in hidden if source in html]
        assert "## Box" not in html and ">Box ·" not in html


def test_a_file_of_slides_asks_for_nothing_else(folder):
    for path in folder.glob("*.html"):
        html = path.read_text(encoding="utf-8")
        assert not re.search(r'\s(?:src|srcset)="(?!data:)|<link\b', html), path.name
        styles = " ".join(re.findall(r"<style>.*?</style>", html, re.S))
        assert "--rush-paper" in styles
        assert not re.search(r"@import|url\((?![\"']?[#d])", styles), path.name
        for href in re.findall(r'<a href="([^"#]+)', html):
            assert href.startswith("http") or (folder / href).is_file(), f"{path.name}: {href}"
