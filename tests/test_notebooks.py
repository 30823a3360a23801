"""The form of a lesson: what a reader relies on in all ten, and what strict comparison needs."""

import json
import re
from pathlib import Path

import nbformat
import pytest

pytestmark = pytest.mark.once

ROOT = Path(__file__).resolve().parents[1]
BOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
LESSONS = [
    "day00_start_here",
    "day01_fixed_window",
    "day02_boundary_burst",
    "day03_sliding_window",
    "day04_token_bucket",
    "day05_atomic_seckill",
    "day06_peak_shaving",
    "day07_leaderboards",
    "day08_opening_night",
    "day09_beyond_one_machine",
]
TAGS = {
    *("head", "picture", "brief", "transcript", "figure", "home", "lua", "wonder", "box"),
    *("exercise", "learner", "check", "solution", "keypoints", "compare"),
    *("native", "nbval-ignore-output", "raises-exception"),
}
CELL_METADATA = {"tags", "rush", "jupyter", "timeout"}
WIDEST = 76  # columns of code: what a lesson page shows beside its margins without scrolling


@pytest.fixture(params=BOOKS, ids=lambda path: path.stem)
def book(request):
    return nbformat.read(request.param, 4)


def tags(cell) -> set[str]:
    return set(cell.metadata.get("tags", []))


def code(book) -> list:
    return [cell for cell in book.cells if cell.cell_type == "code"]


def said(cell) -> str:
    """Everything that a cell printed or showed as text."""
    return "".join(
        out.get("text", "") + "".join(map(str, out.get("data", {}).values()))
        for out in cell.get("outputs", [])
    )


def tagged(book, *wanted: str) -> list:
    return [cell for cell in book.cells if set(wanted) <= tags(cell)]


def test_there_are_ten_lessons_and_no_other_notebook():
    assert [path.stem for path in BOOKS] == LESSONS


def test_it_is_a_valid_notebook_for_any_machine(book):
    nbformat.validate(book)
    assert book.metadata.kernelspec.name == "python3"
    assert book.metadata.language_info == {"name": "python"}
    assert "widgets" not in book.metadata


def test_it_was_recorded_from_one_clean_run_top_to_bottom(book):
    counts = [cell.execution_count for cell in code(book)]
    assert counts == list(range(1, len(counts) + 1)), "run `make record`"


def test_cells_have_known_tags_and_metadata_and_stable_ids(book):
    ids = [cell.id for cell in book.cells]
    assert len(set(ids)) == len(ids)
    for cell in book.cells:
        assert tags(cell) <= TAGS, cell.source
        assert set(cell.metadata) <= CELL_METADATA, cell.source


def test_it_begins_with_its_day_a_picture_and_a_question(book):
    head, picture, brief = book.cells[:3]
    number = int(re.match(r"# Day (\d) · \S", head.source)[1])
    assert book.metadata.mkdocs.day == number
    assert head.source.startswith(f"# {book.metadata.mkdocs.title}\n")
    assert re.search(r"\d+ minutes", head.source)
    assert (tags(head), tags(picture), tags(brief)) == ({"head"}, {"picture"}, {"brief"})
    for part in ("**Question**", "**By the end you can**", "**You need**"):
        assert part in brief.source


def test_it_has_one_title_and_ends_with_key_points_and_a_bridge(book):
    titles = [c for c in book.cells if c.cell_type == "markdown" and c.source.startswith("# ")]
    assert len(titles) == 1
    assert len(tagged(book, "keypoints")) == 1
    assert "keypoints" in set().union(*(tags(cell) for cell in book.cells[-3:]))
    assert book.cells[-1].cell_type == "markdown"


def test_the_setup_is_short_and_connects(book):
    setup = next(cell for cell in code(book) if "lab.connect()" in cell.source)
    assert code(book).index(setup) == 1
    assert sum(1 for line in setup.source.splitlines() if line.strip()) <= 8


def test_every_exercise_has_minutes_a_hint_a_check_and_a_solution_that_passes(book):
    solutions = tagged(book, "exercise", "solution")
    learners = tagged(book, "exercise", "learner")
    hints = [c for c in tagged(book, "exercise") if 'class="hint"' in c.source]
    assert len(solutions) == len(learners) == len(hints) == 3
    assert all(re.search(r"\*\w+ minutes\.\*", hint.source) for hint in hints)
    assert len(tagged(book, "exercise", "check")) >= 3
    for cell in solutions:
        assert cell.metadata.jupyter == {"source_hidden": True}
        assert "✔" in said(cell) and "Not yet" not in said(cell) and "Not started" not in said(cell)


def test_untouched_exercises_say_so_and_stop_nothing(book):
    answers = "".join(map(said, tagged(book, "exercise", "check")))
    assert answers.count("Not yet") + answers.count("Not started") >= 3


def test_a_prediction_comes_before_its_answer(book):
    assert any('<details class="predict">' in cell.source for cell in book.cells)


def test_folds_are_closed_and_named(book):
    for cell in book.cells:
        if cell.cell_type == "markdown":
            assert cell.source.count("<details") == cell.source.count("</details>")
            for fold in re.findall(r"<details[^>]*>(.{30})", cell.source):
                assert fold.startswith("<summary><b>"), cell.source


def test_code_fits_and_says_no_silent_semicolon(book):
    for cell in code(book):
        lines = cell.source.splitlines()
        assert max(map(len, lines), default=0) <= WIDEST, cell.source
        assert not cell.source.rstrip().endswith(";"), cell.source
        assert cell.source.strip(), "an empty cell"


def test_code_cells_are_small(book):
    sizes = sorted(len([x for x in cell.source.splitlines() if x.strip()]) for cell in code(book))
    assert sizes[len(sizes) // 2] <= 10, "the median cell"
    assert sizes[-1] <= 36, "the longest cell"


def test_no_noise_is_recorded(book):
    for cell in code(book):
        for out in cell.outputs:
            assert out.get("name") != "stderr", out
            assert out.output_type != "error" or "raises-exception" in tags(cell), out
            text = json.dumps(out, ensure_ascii=False)
            assert not re.search(r"/(tmp|home|root|Users|work)/", text), text[:300]
            assert len(text) < 120_000, "an output that a reader would have to carry"


def test_a_cell_that_is_not_compared_says_so_for_a_reason(book):
    """Shape figures only: durations, sizes, server names. They still assert what must hold."""
    ignored = tagged(book, "nbval-ignore-output")
    assert len(ignored) <= 0.15 * len(code(book))


def test_a_cell_that_cannot_run_in_a_page_says_why(book):
    for cell in book.cells:
        why = cell.metadata.get("rush", {}).get("why", "")
        assert ("native" in tags(cell)) == bool(why), cell.source
        assert len(why) <= 60


def test_links_lead_somewhere(book):
    for cell in book.cells:
        if cell.cell_type == "markdown":
            for link in re.findall(r"\]\(([^)#]+)[^)]*\)", cell.source):
                if "://" not in link:
                    assert (ROOT / "notebooks" / link).resolve().exists(), link


def test_chinese_terms_say_which_script_they_are_written_in(book):
    for cell in book.cells:
        if cell.cell_type == "markdown":
            bare = re.sub(r'<span lang="zh-Han[ts]">[^<]*</span>', "", cell.source)
            assert not re.search(r"[\u4e00-\u9fff]", bare), cell.source


@pytest.mark.parametrize("path", sorted((ROOT / "lua").glob("*.lua")), ids=lambda p: p.stem)
def test_the_rule_of_a_script_is_said_in_a_lesson_in_the_same_words(path):
    rule = re.match(r"-- [^:]+: (.+)", path.read_text(encoding="utf-8"))[1]
    words = re.sub(r"\W+", " ", rule.split(".")[0]).casefold().split()[:8]
    prose = " ".join(
        " ".join(re.sub(r"\W+", " ", cell.source).casefold().split())
        for book in BOOKS
        for cell in nbformat.read(book, 4).cells
        if cell.cell_type == "markdown"
    )
    assert " ".join(words) in prose, f"no lesson says: {rule}"
