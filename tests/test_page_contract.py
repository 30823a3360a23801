"""The published page answers as the recorded notebook does, cell by cell.

That the recorded outputs are what a computer's own Redis answers is held by nbval, which runs the
same notebooks natively; the two together say that page and computer agree.
"""

import os
from pathlib import Path

import page_contract
import pytest
from page_host import ROOT, engine, hosting
from website import chromium

pytestmark = [pytest.mark.browser, pytest.mark.once]
LESSONS = sorted((ROOT / "notebooks").glob("day*.ipynb"))
EVERYDAY = (
    "day01",
    "day02",
)  # the rest with RUSH_DEEP=1: each takes Python's start and its own time
CHOSEN = [
    path for path in LESSONS if os.environ.get("RUSH_DEEP") == "1" or path.name.startswith(EVERYDAY)
]


@pytest.fixture(scope="module")
def page():
    """An empty page on a host that serves the engine and the runner."""
    engine()
    with hosting() as host, chromium() as browser:
        tab = browser.new_page()
        tab.goto(host.url)
        yield tab


@pytest.mark.timeout(1800)  # a lesson of a minute, on a machine that is busy with others
@pytest.mark.parametrize("lesson", CHOSEN, ids=lambda path: path.stem)
def test_every_cell_answers_in_the_page_as_it_was_recorded(page, lesson: Path):
    verdict = page_contract.judge(page, lesson)
    print(verdict)
    assert verdict.compared > 0
    assert not verdict.unlike, "\n\n".join([str(verdict), *verdict.unlike])
    nameless = [cell for cell, why in verdict.native.items() if not why]
    assert not nameless, f"cells {nameless} are tagged native but do not say why"


def test_the_comparison_sees_a_changed_number_and_overlooks_a_duration():
    pairs = page_contract.sanitizer()
    two, three = [
        page_contract.plain(
            [("stream", {"name": "stdout", "text": f"{n} let in, ⏱ {n}.1 ms"})], pairs
        )
        for n in (2, 3)
    ]
    assert two != three
    assert two.replace("2 let", "3 let") == three
