"""The two articles, claim by claim: three pages, the same rows, each beside a cell that was run.

That every linked number stands in what its cell recorded is test_docs.py's, for all pages.
"""

import json
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = {"en": "articles.md", "zh-Hant": "articles.zh-Hant.md", "zh-Hans": "articles.zh-Hans.md"}
ROW = re.compile(r"^### ([AB]\d) · ([^\n]+?) \{#([ab]\d)\}$(.*?)(?=^##|^</div>|\Z)", re.M | re.S)
PART = re.compile(r"^\*\*([^*\n]+)\*\* (.+)$", re.M)
LINK = re.compile(r"\[([^\]]+)\]\(\.\./notebooks/(\w+)\.ipynb#(\w+)\)")
PARTS = {
    "en": ("Claim.", "Shown.", "Translated.", "Breaks."),
    "zh-Hant": ("主張。", "證明。", "改名。", "失靈。"),
    "zh-Hans": ("主张。", "证明。", "改名。", "失灵。"),
}
# One character of each pair in the wrong page is a slip of the pen, and a reader sees it at once.
ONLY_HANS = set("这门课从细读两讲项视队后时没错写样几会实课码条脚数钟应赢为给达计")
ONLY_HANT = set("這門課從細讀兩講項視隊後時沒錯寫樣幾會實課碼條腳數鐘應贏為給達計") - {"沒"}

pytestmark = pytest.mark.once


@cache
def page(language: str) -> str:
    return (ROOT / "docs" / PAGES[language]).read_text(encoding="utf-8")


def rows(language: str) -> dict[str, dict[str, str]]:
    """{row: {part: what it says}} of one page, in the order of the page."""
    return {row: dict(PART.findall(body)) for row, _, _, body in ROW.findall(page(language))}


@cache
def cells(lesson: str) -> dict[str, dict]:
    book = json.loads((ROOT / "notebooks" / f"{lesson}.ipynb").read_text(encoding="utf-8"))
    return {cell["id"]: cell for cell in book["cells"]}


def targets(text: str) -> list[tuple[str, str]]:
    return [(lesson, cell) for _, lesson, cell in LINK.findall(text)]


@pytest.mark.parametrize("language", PAGES)
def test_every_heading_is_a_row_with_its_own_anchor(language):
    found = ROW.findall(page(language))
    assert len(found) == page(language).count("\n### ") >= 16
    assert [row.lower() for row, *_ in found] == [anchor for _, _, anchor, _ in found]


@pytest.mark.parametrize("language", PAGES)
def test_every_row_has_a_claim_and_a_cell_that_was_run_and_says_where_it_breaks(language):
    claim, shown, renamed, breaks = PARTS[language]
    for row, parts in rows(language).items():
        assert {claim, shown, breaks} <= set(parts) <= set(PARTS[language]), row
        assert targets(parts[shown]), f"{row}: no cell shows it"
        for lesson, ident in targets(parts[shown] + parts[breaks]):
            cell = cells(lesson)[ident]
            ran = cell["cell_type"] == "markdown" or cell["execution_count"]
            assert ran, f"{row}: {lesson}#{ident} was never run"


@pytest.mark.parametrize("language", ["zh-Hant", "zh-Hans"])
def test_the_three_pages_have_the_same_rows_beside_the_same_cells(language):
    english, chinese = rows("en"), rows(language)
    assert list(chinese) == list(english)
    for row in english:
        for here, there in zip(PARTS["en"], PARTS[language], strict=True):
            assert targets(chinese[row].get(there, "")) == targets(english[row].get(here, "")), row
    assert page(language).count("\n| ") == page("en").count("\n| ")


def numbers(text: str) -> list[str]:
    """The digits of what is linked, sorted: word order differs between languages."""
    found = " ".join(said for said, _, _ in LINK.findall(text))
    return sorted(re.findall(r"−?\d+", found))


@pytest.mark.parametrize("language", ["zh-Hant", "zh-Hans"])
def test_the_three_pages_quote_the_same_numbers(language):
    english, chinese = rows("en"), rows(language)
    assert sum(len(numbers(" ".join(parts.values()))) for parts in english.values()) > 30
    for row in english:
        said = numbers(" ".join(chinese[row].values()))
        assert said == numbers(" ".join(english[row].values())), row


@pytest.mark.parametrize(("language", "foreign"), [("zh-Hant", ONLY_HANS), ("zh-Hans", ONLY_HANT)])
def test_each_chinese_page_keeps_to_its_script(language, foreign):
    text = re.sub(r'<span lang="[^"]+">.*?</span>', "", page(language))  # links to the others
    ours = ONLY_HANT if foreign is ONLY_HANS else ONLY_HANS
    assert not set(text) & (foreign - ours)
    assert f'<div lang="{language}" markdown="1">' in text


@pytest.mark.parametrize("language", PAGES)
def test_each_page_leads_to_the_other_two(language):
    for other, name in PAGES.items():
        link = f'<span lang="{other}">['
        assert (link in page(language) and f"]({name})" in page(language)) == (other != language)
