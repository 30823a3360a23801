"""An instrument wakes where its room was kept: nothing below it jumps, and no hole is left."""

import pytest
from page_host import ROOT
from stage_page import META, html, staged
from website import DEEP, SCREENS, WATCH_SHIFTS, Visit

pytestmark = [pytest.mark.browser, pytest.mark.once]
COLUMN_PX = {"desktop": 688, "phone": 358}  # as wide as a lesson's text on these screens
A_LINE_PX = 33  # a sentence may need one line more when Redis has answered


@pytest.fixture(scope="module")
def host():
    with staged() as one:
        yield one


def awake(browser, host, day: int, screen: str) -> tuple[int, int, float]:
    """The room kept, the height when it has answered, and the layout shift in between."""
    css = (ROOT / "docs/assets/css/page.css").read_text(encoding="utf-8")
    stage = f'<rush-stage day="{day}"><p>recorded</p></rush-stage><p>below</p>'
    look = f"<style>{css} main {{ width: {COLUMN_PX[screen]}px; }} h1 {{ margin: 0; }}</style>"
    host.pages["/room.html"] = html(stage, "stage.mjs", META + look)
    width, height = SCREENS[screen]
    with browser.new_context(viewport={"width": width, "height": height}) as context:
        page = Visit(context.new_page()).page
        page.add_init_script(WATCH_SHIFTS)
        page.goto(f"{host.url}/room.html")
        tall = "document.querySelector('rush-stage').getBoundingClientRect().height"
        room = page.evaluate(
            "parseFloat(getComputedStyle(document.querySelector('rush-stage')).minHeight)"
        )
        page.wait_for_function(
            "document.querySelector('rush-stage').shadowRoot?.querySelector('[role=status]')?.textContent",
            timeout=60_000,
        )
        page.wait_for_timeout(500)  # what is shown after the first sentence
        inside = (
            "document.querySelector('rush-stage').shadowRoot.firstElementChild.nextElementSibling"
        )
        content = page.evaluate(f"{inside}.getBoundingClientRect().height")
        assert page.evaluate(tall) <= max(room, content) + 1
        return room, content, page.evaluate("window.shifted")


@pytest.mark.parametrize("screen", COLUMN_PX)
@pytest.mark.parametrize("day", range(10) if DEEP else (2, 7))
def test_the_room_is_as_high_as_the_instrument(browser, host, day, screen):
    room, content, shifted = awake(browser, host, day, screen)
    assert content - A_LINE_PX <= room <= content + A_LINE_PX
    assert shifted <= 0.1, "more than what counts as good on the web"
