"""The README promises two commands and a picture; both are what the code makes."""

import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.once

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_picture_is_the_one_that_the_lessons_draw():
    from lab import charts

    drawn = charts.boxes(lit=["people", "limit", "deduct", "queue", "sql"], name="road")
    assert (ROOT / "docs/assets/road.svg").read_text(encoding="utf-8") == str(drawn)


def test_every_make_target_that_it_names_is_there():
    targets = set(re.findall(r"(?m)^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8")))
    named = set(re.findall(r"make ([a-z]+)", README))
    assert {"lab", "test", "site"} <= named <= targets


def test_every_file_that_it_links_is_there():
    for link in re.findall(r"\]\(([^):#]+)\)", README):
        assert (ROOT / link).exists(), link


def test_it_names_every_folder_of_the_tree():
    for folder in ("notebooks/", "lua/", "docs/", "page/", "tests/", "tools/"):
        assert f"\n{folder}" in README
        assert (ROOT / folder).is_dir()
