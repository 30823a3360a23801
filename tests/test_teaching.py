"""The sheets for whoever teaches: the plans add up, and name what the lessons hold.

That linked numbers stand in their cells, and that the cells were run, is test_docs.py's.
"""

import json
import re
import subprocess
import sys
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TEACHING = ROOT / "docs" / "teaching"
EVERY_DAY = "0123456789"
DAYS = EVERY_DAY.replace("8", "")  # day 8 is a show: the plan has no sections of it
MINUTES = ["two", "three", "four", "five", "six", "seven", "eight", "ten", "twelve"]
CLOSE = {"Key points", "The table so far", "What it still does not fix", "What comes next"}
CLOSE |= {"The end of the road"}
LINK = re.compile(r"\[([^\]]+)\]\(\.\./\.\./notebooks/(\w+)\.ipynb#(\w+)\)")

pytestmark = pytest.mark.once


@cache
def page(name: str) -> str:
    return (TEACHING / f"{name}.md").read_text(encoding="utf-8")


@cache
def prose(day: str) -> list[tuple[str, str, list[str]]]:
    """(id, text, tags) of the prose cells of a lesson."""
    (path,) = (ROOT / "notebooks").glob(f"day0{day}_*.ipynb")
    found = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [
        (cell["id"], "".join(cell["source"]), cell["metadata"].get("tags", []))
        for cell in found
        if cell["cell_type"] == "markdown"
    ]


def table(text: str) -> list[list[str]]:
    """The rows of the first table of a text, without its head."""
    lines = re.search(r"(?:^\|.*\n?)+", text, re.M)[0].splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def plan(day: str) -> tuple[list[tuple[str, str, int, int]], list[str]]:
    """The sections of one day as (heading, cell, half day, two days), and the row of sums."""
    text = page("index").partition(f"{{#day{day}}}")[2].partition("\n### ")[0]
    *rows, sums = table(text)
    sections = []
    for name, half, two, late in rows:
        heading, _, cell = LINK.fullmatch(name).groups()
        assert late, f"day {day}, {heading}: and if late?"
        sections.append((heading, cell, minutes(half), minutes(two)))
    return sections, sums


def minutes(cell: str) -> int:
    return 0 if cell.strip("* ") == "·" else int(cell.strip("* "))


@pytest.mark.parametrize("day", DAYS)
def test_the_plan_has_every_section_of_a_lesson_in_its_order(day):
    there = [
        (heading, ident)
        for ident, text, tags in prose(day)
        if "box" not in tags
        for heading in re.findall(r"^## (.+)$", text, re.M)
        if heading not in CLOSE and not heading.startswith("Box")
    ]
    assert [(heading, cell) for heading, cell, _, _ in plan(day)[0]] == there


@pytest.mark.parametrize("day", DAYS)
def test_the_minutes_of_a_day_add_up(day):
    sections, sums = plan(day)
    assert minutes(sums[1]) == sum(half for *_, half, _ in sections)
    assert minutes(sums[2]) == sum(two for *_, two in sections) > 0


@pytest.mark.parametrize(("anchor", "column", "halves"), [("half-day", 1, 1), ("two-days", 2, 2)])
def test_the_clock_of_a_plan_is_right_and_its_days_have_their_minutes(anchor, column, halves):
    text = page("index").partition(f"{{#{anchor}}}")[2].partition("\n## ")[0]
    tables = [table(part) for part in re.findall(r"(?:^\|.*\n)+", text, re.M)]
    assert len(tables) == halves
    planned = set()
    for rows in tables:
        for (at, what, takes), (then, *_) in pairwise(rows):
            assert clock(then) - clock(at) == int(takes), what
            day = re.match(r"Day (\d)", what)
            if day and day[1] in DAYS:
                assert int(takes) == minutes(plan(day[1])[1][column]), what
                planned.add(day[1])
    left_out = {day for day in DAYS if not minutes(plan(day)[1][column])}
    assert planned == set(DAYS) - left_out
    if anchor == "half-day":
        assert clock(tables[0][-1][0]) - clock(tables[0][0][0]) == 4 * 60


def clock(text: str) -> int:
    hour, minute = text.split(":")
    return int(hour) * 60 + int(minute)


def test_every_exercise_is_listed_with_its_minutes_and_a_goal():
    listed = {}
    for day, name, takes, goal in table(page("exercises")):
        heading, _, cell = LINK.fullmatch(name).groups()
        listed[day, cell] = (heading, takes)
        assert goal.endswith("."), heading
    there = {}
    for day in EVERY_DAY:
        for ident, text, _ in prose(day):
            if exercise := re.search(r"^## Your turn: (.+)$", text, re.M):
                said = re.findall(rf"({'|'.join(MINUTES)}) minutes\.", text, re.I)
                there[day, ident] = (exercise[1], said[0].lower())
    assert listed == there


def test_every_day_has_its_prediction_and_two_wrong_answers_with_a_thought_behind_them():
    asked = [row[0] for row in table(page("predictions"))]
    assert asked == list("0123456798")
    for day in asked:
        answer = page("predictions").partition(f"{{#answer{day}}}")[2].partition("\n### ")[0]
        assert len(re.findall(r"^- \*.+?\*: .+\.$", answer, re.M)) >= 2, f"day {day}"


def test_the_opening_sells_160_of_a_hundred_and_then_a_hundred():
    done = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "demo.py"), "--now"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    sold = re.findall(r"(\d+) sold of 100 · the stock says (-?\d+)", done.stdout)
    assert sold == [("160", "-60"), ("100", "0")]
    for said, left in zip(
        re.findall(r"\*\*(\d+) sold of 100\*\*", page("demo")), sold, strict=True
    ):
        assert said == left[0]


def test_the_handout_has_a_row_for_each_day_and_a_sentence_to_take_home():
    rows = table(page("handout"))
    assert [day for _, day, *_ in rows] == list("123456789")
    assert all(sentence.endswith(".") for *_, sentence in rows)
