"""lab.explore: the same picture with sliders in a notebook and as HTML in a page."""

import html
import json
import re

import pytest
from lab.explore import explore, update


class Figure:
    def __init__(self, limit: int) -> None:
        self.limit = limit

    def _repr_svg_(self) -> str:
        return f"<svg><text>{self.limit}</text></svg>"


def words(limit: int, window: int = 1) -> str:
    return f"{limit} < presses in {window} s"


def test_the_saved_output_is_the_first_picture_and_always_the_same_text():
    shown = explore(words, limit=(3, 1, 9), window=(1, 1, 60, 5, "play"))
    bundle = shown._repr_mimebundle_()
    assert bundle["text/plain"] == "explore(words, limit=3, window=1)"
    assert "<pre>3 &lt; presses in 1 s</pre>" in bundle["text/html"]
    assert bundle["text/html"] == shown._repr_mimebundle_()["text/html"]
    assert "application/vnd.jupyter.widget-view+json" in bundle


def test_the_page_can_read_the_sliders_and_ask_for_another_picture():
    fallback = explore(words, limit=(3, 1, 9), window=(1, 1, 60, 5, "play"))._repr_html_()
    name = re.search(r'data-rush-explore="(\d+)"', fallback)[1]
    sliders = json.loads(html.unescape(re.search(r'data-rush-sliders="([^"]*)"', fallback)[1]))
    assert sliders == [
        {"name": "limit", "value": 3, "low": 1, "high": 9, "step": 1, "play": False},
        {"name": "window", "value": 1, "low": 1, "high": 60, "step": 5, "play": True},
    ]
    assert update(name, {"limit": 4}) == "<pre>4 &lt; presses in 1 s</pre>"
    assert update(name, {"limit": "5", "window": 2.0}) == "<pre>5 &lt; presses in 2 s</pre>"
    assert explore.update is update


def test_moving_a_slider_redraws_the_picture_in_the_notebook():
    box = explore(words, limit=(3, 1, 9, "play"))._widgets()
    row, picture = box.children
    slider, play = row.children
    assert (slider.value, slider.min, slider.max, play.max) == (3, 1, 9, 9)
    slider.value = 8
    assert picture.value == "<pre>8 &lt; presses in 1 s</pre>"


def test_a_page_without_ipywidgets_gets_the_html_alone(monkeypatch):
    monkeypatch.setattr("sys.platform", "emscripten")
    monkeypatch.setitem(__import__("sys").modules, "ipywidgets", None)
    assert set(explore(words, limit=(3, 1, 9))._repr_mimebundle_()) == {"text/plain", "text/html"}


@pytest.mark.parametrize(
    ("result", "drawn"),
    [
        (Figure(3), "<svg><text>3</text></svg>"),
        ("<b>3</b>", "<b>3</b>"),
        ("a < b", "<pre>a &lt; b</pre>"),
        (3, "<pre>3</pre>"),
    ],
)
def test_a_function_may_give_a_figure_html_or_text(result, drawn):
    assert explore(lambda limit: result, limit=(3, 1, 9)).picture() == drawn


def test_a_mistake_in_the_function_shows_in_the_cell_that_has_it():
    with pytest.raises(ZeroDivisionError):
        explore(lambda limit: 1 / limit, limit=(0, 0, 9))


@pytest.mark.parametrize("limit", [(10, 1, 9), (0, 1, 9), (1, 1, 9, 0)])
def test_a_slider_outside_its_own_limits_is_refused(limit):
    with pytest.raises(ValueError, match="limit must be"):
        explore(words, limit=limit)


def test_an_exploration_of_another_session_is_told_to_run_again():
    with pytest.raises(KeyError, match="run its cell again"):
        update("none", {})
