"""The site for everybody: screen readers, keyboard alone, less motion, dark and light, no jumping."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from website import DEEP, UNFOLD, visit

pytestmark = [pytest.mark.site, pytest.mark.browser, pytest.mark.once]

SERIOUS = {"serious", "critical"}
# Rules look at the screen or at the colours: these two see both, and share the kinds of pages
# between them. With RUSH_DEEP=1 each sees every page, and the other two pairs, for what depends on
# both at once, a page of each kind.
LOOKS = [("desktop", "light"), ("phone", "dark")]
OTHERS = [("desktop", "dark"), ("phone", "light")] if DEEP else []
# Material lets the keyboard into code that is wider than its column, once it has measured it.
WIDE_CODE_IS_REACHABLE = """[...document.querySelectorAll('pre > code')].every(code =>
  !code.offsetParent || code.scrollWidth <= code.clientWidth || code.tabIndex === 0)"""
FOCUSED = """() => {
  const at = document.activeElement;
  const ring = getComputedStyle(at);
  return {tag: at.tagName, text: at.textContent.trim().slice(0, 40), href: at.getAttribute('href'),
          fold: at.closest('details')?.className ?? '', ring: ring.outlineStyle + ring.boxShadow};
}"""


@pytest.mark.parametrize(("screen", "scheme"), LOOKS + OTHERS)
def test_axe_finds_nothing_serious_with_every_fold_open(site, browser, screen, scheme):
    """Contrast is one of axe's rules, so dark and light are both judged."""
    look = (screen, scheme)
    paths = site.looked_at(LOOKS.index(look), len(LOOKS)) if look in LOOKS else site.kinds
    assert paths
    for path in paths:
        with visit(browser, site.url + path, screen, color_scheme=scheme) as seen:
            seen.page.evaluate(UNFOLD)
            seen.page.wait_for_function(WIDE_CODE_IS_REACHABLE)
            found = Axe().run(seen.page).response["violations"]
            serious = [
                (one["id"], one["nodes"][0]["html"][:160], one["nodes"][0]["failureSummary"][:200])
                for one in found
                if one["impact"] in SERIOUS
            ]
            assert not serious, f"{path} at {screen}, {scheme}: {serious}"


def test_the_colours_follow_the_system_and_the_reader_may_choose(site, browser):
    paper = "getComputedStyle(document.body).backgroundColor"
    with visit(browser, site.url, color_scheme="dark") as seen:
        dark = seen.page.evaluate(paper)
        seen.page.locator(".md-header__option label:visible").click()
        assert seen.page.evaluate(paper) != dark
        seen.page.reload(wait_until="networkidle")
        assert seen.page.evaluate(paper) != dark, "the choice was forgotten"


def tab_to(page, wanted, most: int = 400) -> dict:
    """Press Tab until wanted(focus) holds; the focus must be visible at every stop in the content."""
    for _ in range(most):
        page.keyboard.press("Tab")
        at = page.evaluate(FOCUSED)
        if wanted(at):
            return at
    raise AssertionError(f"not reached within {most} presses of Tab")


def test_the_keyboard_alone_opens_a_fold_and_marks_a_day_as_done(site, browser):
    with visit(browser, site.url + site.lessons[-1]) as seen:
        page = seen.page
        tab_to(page, lambda at: at["text"] == "Mark as done")
        page.keyboard.press("Enter")
        assert page.get_attribute(".head button.done", "aria-pressed") == "true"
        at = tab_to(page, lambda at: at["tag"] == "SUMMARY" and at["fold"])
        assert "solid" in at["ring"] or "auto" in at["ring"], at
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.closest('details').open")
        page.reload(wait_until="networkidle")
        assert page.get_attribute(".head button.done", "aria-pressed") == "true"


def test_the_keyboard_opens_the_contents_and_the_search_of_a_phone(site, browser):
    with visit(browser, site.url + site.lessons[-1], "phone") as seen:
        for name, toggle in (("Contents", "__drawer"), ("Search", "__search")):
            seen.page.locator(f".md-header [aria-label='{name}']:visible").first.focus()
            seen.page.keyboard.press("Enter")
            assert seen.page.evaluate(f"document.getElementById('{toggle}').checked"), name
            seen.page.evaluate(f"document.getElementById('{toggle}').click()")


def test_a_link_into_a_fold_opens_it(site, browser):
    for path in site.lessons:
        with visit(browser, site.url + path) as seen:
            inside = seen.page.evaluate(
                "document.querySelector('.md-content details:not([open]) :not(summary) [id]')?.id"
            )
            if inside is None:
                continue
            seen.page.evaluate(f"location.hash = '#{inside}'")
            seen.page.wait_for_function(
                f"document.getElementById('{inside}').closest('details').open", timeout=5000
            )
            return
    pytest.fail("no lesson has anything inside a fold")


def test_progress_shows_on_the_path_and_leads_to_the_next_day(site, browser):
    with browser.new_context() as context:
        page = context.new_page()
        page.add_init_script("localStorage.setItem('rush.done', '[0]')")
        page.goto(site.url, wait_until="networkidle")
        assert page.inner_text(".path [data-day='0'] .state") == "Done"
        assert page.inner_text("[data-continue]") == "Continue with day 1"
        assert page.inner_text(".path [data-day='1'] .state") == "Next"
        assert "day01" in page.get_attribute("[data-continue]", "href")


def test_an_exercise_is_passed_when_its_own_check_answers_with_ticks(site, browser):
    path = next(p for p in site.lessons if "day01" in p)
    with visit(browser, site.url + path) as seen:
        page = seen.page
        say = """words => { const out = document.querySelector('[data-exercise] .check .cell-out');
                            out.innerHTML = '<pre class="out">' + words + '</pre>'; }"""
        state = "document.querySelector('[data-exercise]').dataset.state"
        page.evaluate(say, "✔ one: 1.\nNot yet. two: 1, and it should be 2.")
        assert page.evaluate(state) != "passed"
        page.evaluate(say, "✔ one: 1.\n✔ two: 2.")
        page.wait_for_function(f"{state} === 'passed'")
        page.reload(wait_until="networkidle")
        assert page.evaluate(state) == "passed", "the exercise was forgotten"


def test_who_asked_for_less_motion_gets_none(site, browser):
    with visit(browser, site.url + site.lessons[-1], reduced_motion="reduce") as seen:
        moving = seen.page.evaluate(
            "[...document.querySelectorAll('body *')].filter(e => { const s = getComputedStyle(e);"
            " return parseFloat(s.transitionDuration) > 0 || s.animationName !== 'none'; })"
            ".map(e => e.className).slice(0, 5)"
        )
        assert not moving, moving


def test_a_lesson_prints_without_chrome(site, browser):
    with visit(browser, site.url + site.lessons[-1]) as seen:
        seen.page.emulate_media(media="print")
        shown = "e => getComputedStyle(e).display"
        for chrome in (".md-header", ".md-sidebar--primary", ".md-footer", ".days"):
            assert seen.page.eval_on_selector(chrome, shown) == "none", chrome
        assert seen.page.eval_on_selector(".head", shown) != "none"
