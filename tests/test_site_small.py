"""What a build of the site does and refuses, seen on a project with one small lesson and one page."""

import json
import re
from pathlib import Path

import pytest
from website import build, copy_project, visit

from tools.served import served

pytestmark = [pytest.mark.site, pytest.mark.browser, pytest.mark.once]


def small_project(to: Path) -> Path:
    """The project with one small lesson and one small page instead of its own."""
    copy = copy_project(to)
    for old in [*(copy / "notebooks").glob("*.ipynb"), *(copy / "docs").rglob("*.md")]:
        old.unlink()
    write_page(copy, "[A day](../notebooks/day01_small.ipynb)")
    write_lesson(copy, "day01_small")
    settings = (copy / "mkdocs.yml").read_text(encoding="utf-8")
    nav = "\nnav:\n  - Home: index.md\n  - notebooks/day01_small.ipynb\n\nextra:\n"
    (copy / "mkdocs.yml").write_text(re.sub(r"\nnav:\n.*?\nextra:\n", nav, settings, flags=re.S))
    return copy


def write_page(project: Path, said: str) -> None:
    (project / "docs" / "index.md").write_text(f"# Probe\n\n{said}\n", encoding="utf-8")


def write_lesson(
    project: Path, name: str, prose: str = "Nothing more.", run: int | None = 1
) -> None:
    """The smallest lesson: a head, a paragraph, one cell that was run, or was not (None)."""

    def cell(ident: str, kind: str, source: str, *tags: str, **more) -> dict:
        meta = {"tags": list(tags)}
        return {"id": ident, "cell_type": kind, "source": source, "metadata": meta} | more

    cells = [
        cell("c0", "markdown", "# Day 1 · Small\n\nOne small pain.\n\n5 minutes", "head"),
        cell("c1", "markdown", prose),
        cell("c2", "code", "1 + 1", execution_count=run, outputs=[]),
    ]
    book = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (project / "notebooks" / f"{name}.ipynb").write_text(json.dumps(book), encoding="utf-8")


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A small site from a folder whose name has spaces and Chinese letters."""
    project = small_project(tmp_path_factory.mktemp("small") / "a project 專案")
    write_lesson(project, "day01_small", 'No <span lang="zh-Hant">期限</span>.')
    write_page(
        project,
        "[A day](../notebooks/day01_small.ipynb) 這個計數器沒有期限。 A sliding window. EXPIRE it.",
    )
    done = build(project, project.parent / "out")
    assert done.returncode == 0, done.stderr
    return project.parent / "out"


def test_a_folder_with_spaces_and_chinese_letters_builds_and_links_work(small):
    assert 'href="notebooks/day01_small/"' in (small / "index.html").read_text(encoding="utf-8")
    assert "Small" in (small / "notebooks/day01_small/index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("query", ["計數器", "期限", "sliding", "EXPIRE"])
def test_search_finds_words_also_chinese_ones_inside_a_sentence(small, browser, query):
    with served(small) as url, visit(browser, url) as seen:
        seen.page.wait_for_function(
            "!document.querySelector('.md-search-result__meta').textContent.includes('Initializing')"
        )
        seen.page.fill(".md-search__input", query)
        seen.page.press(".md-search__input", "End")  # Material listens to keys
        seen.page.wait_for_selector(".md-search-result__link", timeout=20_000)
        assert "Probe" in seen.page.inner_text(".md-search-result__list")


FAULTS = {
    "a lesson's link to a lesson": "notebooks/day01_small.ipynb links to day01_smal.ipynb",
    "a lesson's link to a page": "notebooks/day01_small.ipynb links to ../docs/nowhere.md",
    "a lesson's link to a script": "notebooks/day01_small.ipynb links to ../lua/nothing.lua",
    "a lesson's link to a heading": "notebooks/day01_small/index.html links to #no-such-heading",
    "a page's link to a lesson": "index.md' contains a link",
    "a lesson that was never run": "cells ['c2'] were never run",
    "a lesson that the navigation forgets": "day07_forgotten.ipynb",
}


@pytest.fixture(scope="module")
def warnings(tmp_path_factory) -> list[str]:
    """What a build says to a project with every fault of FAULTS; it must not have succeeded."""
    project = small_project(tmp_path_factory.mktemp("spoilt") / "project")
    links = "[a](day01_smal.ipynb) [b](../docs/nowhere.md) [c](../lua/nothing.lua) [d](#no-such-heading)"
    write_lesson(project, "day01_small", links, run=None)
    write_lesson(project, "day07_forgotten")
    write_page(project, "[Gone](../notebooks/day01_gone.ipynb)")
    done = build(project, project.parent / "out")
    assert done.returncode != 0, done.stderr
    lines = re.sub(r"\n(?!WARNING|INFO|ERROR)", " ", done.stderr).splitlines()
    return [line for line in lines if line.startswith("WARNING")]


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_fails_the_strict_build(warnings, fault):
    assert any(FAULTS[fault] in line for line in warnings), "\n".join(warnings)


def test_a_lesson_that_would_go_out_raw_fails_the_build(tmp_path):
    project = small_project(tmp_path / "project")
    hook = project / "docs" / "_theme" / "hooks.py"
    first = hook.read_text(encoding="utf-8")
    late = re.sub(r"@event_priority\(100\)[^\n]*\n(?=def on_files)", "", first)
    assert late != first
    hook.write_text(late, encoding="utf-8")
    done = build(project, tmp_path / "out")
    assert done.returncode != 0 and "day01_small.ipynb would go out raw" in done.stderr, done.stderr
