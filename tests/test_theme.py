"""What the site's hook does to a page: where a line may break, whose colours a picture has."""

import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[1] / "docs"
sys.path.append(str(DOCS / "_theme"))

import breaks  # noqa: E402
import outputs  # noqa: E402
import pictures  # noqa: E402

pytestmark = pytest.mark.once


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("<code>rank:sales:20260730</code>", "<code>rank:<wbr>sales:<wbr>20260730</code>"),
        ("<code>limit:{2001}</code>", "<code>limit:{2001}</code>"),  # short enough for one line
        (
            "<code>redis-cli --latency</code>",
            '<code>redis-cli <span class="keep">--latency</span></code>',
        ),
        ('<a href="#">find the bug</a>', '<a href="#">find&nbsp;the&nbsp;bug</a>'),
        ('<a href="#">a link of some length</a>', '<a href="#">a link of some length</a>'),
    ],
)
def test_long_names_break_at_their_seams_and_short_links_hold_together(before, after):
    assert breaks.set_in(before) == after


def test_a_block_of_code_is_left_as_it_is():
    block = "<pre><span></span><code>local rank_of_sales_of_the_day = 1</code></pre>"
    assert breaks.set_in(block) == block


def test_a_picture_of_ours_stands_in_its_page():
    page = '<p><img alt="The road" src="../../assets/road.svg" /></p>'
    drawn = pictures.in_place(page, "teaching/handout/", DOCS)
    assert "<img" not in drawn and (DOCS / "assets/road.svg").read_text(encoding="utf-8") in drawn


def test_a_picture_from_elsewhere_and_a_photograph_stay_images():
    for source in ("https://example.com/a.svg", "../../assets/shop.png"):
        page = f'<p><img alt="" src="{source}" /></p>'
        assert pictures.in_place(page, "teaching/handout/", DOCS) == page


@pytest.mark.parametrize(
    ("text", "is_table"),
    [("a   1\nbb  2\n", True), ("a   1\n", False), ("one line\nand two", False)],
)
def test_columns_of_text_are_told_from_prose(text, is_table):
    assert (len(outputs.ALIGNED.findall(text)) > 1) is is_table
