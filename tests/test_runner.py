"""The Run buttons of a lesson: a reader presses, edits, breaks, stops, and is told what happens."""

import sys
from types import SimpleNamespace

import pytest
from page_host import ROOT, engine, hosting
from website import chromium

from tools.bench import page

sys.path.append(str(ROOT / "docs" / "_theme"))
import lesson  # noqa: E402

pytestmark = [pytest.mark.browser, pytest.mark.once]
LIMIT_MS = 120_000  # the most that a busy machine may take to start Python
CELLS = [
    ("import lab\nr = lab.connect()", ()),
    ('r.set("door", 3)\nr.incr("door")', ()),
    ("%%redis\nSET stock 5\nGET stock", ("transcript",)),
    ("%%lua twice\nreturn 2 * ARGV[1]", ()),
    ("twice(args=[21])", ()),
    ("import time, asyncio\ntime.sleep(60)\nawait asyncio.sleep(40)\nprint('woke')", ()),
    ("lab.check('two and two', 2 + 2, 4)", ("check",)),
    ("lab.explore(lambda limit: f'<b>{limit}</b> let in', limit=(3, 1, 9))", ()),
    ("servers = lab.private_server()", ("native",)),
    ("print('one'); print('two')\nimport sys; print('oh', file=sys.stderr)", ()),
    ("from IPython.display import SVG, Markdown\ndisplay(Markdown('`a` and **b**'))", ()),
    ("1 / 0", ()),
]


# What has been imported from source, so compiled while the reader waited.
FROM_SOURCE = """import sys
specs = [getattr(m, "__spec__", None) for m in list(sys.modules.values())]
[s.name for s in specs if s and str(s.origin).endswith(".py")]"""

ENDLESS = [CELLS[0], ("while True:\n    pass", ()), ("r.ping()", ())]


def lesson_page(sources: list[tuple[str, tuple[str, ...]]]) -> str:
    """A lesson of these cells, laid out by the site's own hook."""
    config = SimpleNamespace(markdown_extensions=[], mdx_configs={})
    cells = [
        lesson.Cell(i, f"id{i}", "code", source, tags, [], False, "needs a second server")
        for i, (source, tags) in enumerate(sources)
    ]
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Lesson</title>'
        '<link rel="stylesheet" href="/runner/run.css">'
        f'<main class="md-typeset">{lesson.layout(cells, {}, config)}</main>'
        '<script type="module" src="/runner/run.js"></script>'
    )


class Reader:
    """Somebody at the page."""

    def __init__(self, tab, host) -> None:
        self.tab, self.host = tab, host

    def cell(self, number: int):
        return self.tab.locator(f'.cell[data-cell="{number}"]')

    def press(self, number: int, name: str = "Run cell") -> None:
        self.cell(number).get_by_role("button", name=name).first.click()

    def ran(self, number: int, state: str = "ran") -> str:
        """Wait until the cell has come to `state`; the text of its output."""
        self.tab.locator(f'.cell[data-cell="{number}"][data-run="{state}"]').wait_for(
            timeout=LIMIT_MS
        )
        return self.cell(number).locator(".cell-out").inner_text()

    def said(self, number: int) -> str:
        return self.cell(number).locator(".run-said").inner_text()


@pytest.fixture(scope="module")
def visit():
    """A host and a browser; opens the lesson anew for whoever asks."""
    engine()
    with hosting() as host, chromium() as browser:
        lessons = {"lesson": CELLS, "endless": ENDLESS, "waits": [CELLS[0], (FROM_SOURCE, ())]}
        host.pages |= {f"/{name}": lesson_page(cells) for name, cells in lessons.items()}
        yield lambda path="lesson": _open(browser, host, path)


def _open(browser, host, path) -> Reader:
    host.asked.clear()
    tab = browser.new_page()
    tab.set_default_timeout(LIMIT_MS)
    tab.goto(f"{host.url}/{path}", wait_until="networkidle")
    return Reader(tab, host)


@pytest.fixture(scope="module")
def reader(visit):
    """One reader for the tests that only press buttons: Python starts once for all of them."""
    one = visit()
    yield one
    one.tab.close()


def test_every_cell_has_a_run_button_and_nothing_is_loaded_before_it_is_pressed(visit):
    reader = visit()
    buttons = reader.tab.get_by_role("button", name="Run cell").all()
    runnable = [i for i, (_, tags) in enumerate(CELLS) if "native" not in tags]
    assert len(buttons) == len(runnable)
    assert not [path for path in reader.host.asked if "/engine/" in path or "worker" in path]
    assert reader.tab.locator(".run-dock").is_hidden()
    reader.tab.close()


def test_a_native_cell_has_no_button_and_says_why(reader):
    assert reader.cell(8).get_by_role("button").count() == 0
    assert "needs a second server" in reader.cell(8).inner_text()


def test_run_runs_the_cells_above_first_and_shows_the_last_expression(reader):
    reader.press(1)
    assert reader.ran(1).strip() == "4"
    assert "is listening. The shop is empty." in reader.ran(0)


def test_while_it_loads_the_page_says_what_is_loading(visit):
    reader = visit()
    reader.press(0)
    dock = reader.tab.locator(".run-dock")
    dock.get_by_text("Loading").wait_for()
    assert dock.get_by_role("progressbar").is_visible()
    reader.ran(0)
    assert "Redis" in dock.inner_text()
    assert dock.get_by_role("progressbar").is_hidden()
    reader.tab.close()


def test_the_bench_measures_until_the_first_cell_has_run(visit):
    reader = visit()
    assert page.cell_s(reader.tab, f"{reader.host.url}/lesson") > 0
    assert reader.ran(0, "ran")
    reader.tab.close()


def test_nobody_waits_while_python_compiles_what_a_lesson_imports(visit):
    reader = visit("waits")
    reader.press(1)
    assert reader.ran(1).strip() == "[]"
    reader.tab.close()


def test_redis_and_lua_cells_run(reader):
    reader.press(4)
    assert reader.ran(4).strip() == "42"
    assert "(integer)" not in reader.ran(2)
    assert '"5"' in reader.ran(2)


def test_waiting_moves_the_clock_and_the_cell_says_so(reader):
    reader.press(5)
    assert reader.ran(5).strip() == "woke"
    assert "the clock went on by 100 s at once" in reader.said(5)


def test_an_error_is_red_and_names_the_line_of_the_readers_own_cell(reader):
    reader.press(11)
    told = reader.ran(11, "failed")
    assert told.strip().splitlines() == [
        "cell 11, line 1",
        "    1 / 0",
        "ZeroDivisionError: division by zero",
    ]
    assert reader.cell(11).locator("pre.out.err").count() == 1


def test_a_self_check_answers_in_its_colour(reader):
    reader.press(6)
    assert reader.ran(6).startswith("✔")
    assert reader.cell(6).locator("pre.out .yes").count() == 1


def test_printed_text_and_complaints_stay_apart_and_in_order(reader):
    reader.press(9)
    assert reader.ran(9).split() == ["one", "two", "oh"]
    assert reader.cell(9).locator("pre.out.err").inner_text().strip() == "oh"


def test_markdown_is_shown_as_markdown(reader):
    reader.press(10)
    reader.ran(10)
    html = reader.cell(10).locator(".out-md").inner_html()
    assert html == "<p><code>a</code> and <strong>b</strong></p>"


def test_a_slider_of_explore_asks_python_for_each_picture(reader):
    reader.press(7)
    reader.ran(7)
    slider = reader.cell(7).get_by_role("slider", name="limit")
    slider.fill("7")
    reader.cell(7).get_by_text("7 let in").wait_for()


def test_an_edited_cell_runs_as_edited_and_shift_enter_runs_it(reader):
    code = reader.cell(1).get_by_role("textbox")
    code.click()
    reader.tab.keyboard.press("ControlOrMeta+A")
    reader.tab.keyboard.type("for i in range(2):\nprint('edited', i)")
    reader.tab.keyboard.press("Shift+Enter")
    reader.cell(1).get_by_text("edited 1").wait_for()
    assert reader.ran(1).split("\n")[:2] == ["edited 0", "edited 1"]


def test_tab_walks_past_a_cell_until_it_is_edited_and_escape_leaves_it(reader):
    focused = (
        "document.activeElement.closest('.cell')?.dataset.cell + document.activeElement.tagName"
    )
    code = reader.cell(3).get_by_role("textbox")
    code.focus()
    reader.tab.keyboard.press("Tab")
    assert reader.tab.evaluate(focused) == "3BUTTON"
    code.click()
    reader.tab.keyboard.press("Tab")
    assert reader.tab.evaluate(focused) == "3CODE"
    reader.tab.keyboard.press("Escape")
    assert reader.tab.evaluate(focused) == "3BUTTON"


def test_run_all_above_runs_them_again(reader):
    reader.press(1, "Run all")
    reader.ran(0)
    assert "is listening" in reader.ran(0)


def test_an_endless_loop_is_stopped_and_the_page_goes_on(visit):
    reader = visit("endless")
    reader.press(1)
    reader.ran(1, "running")
    reader.press(1, "Stop cell")
    reader.tab.locator(".run-dock").get_by_text("Stopped").wait_for()
    assert reader.said(1) == "stopped"
    reader.press(0)
    assert "is listening" in reader.ran(0)
    reader.tab.close()


def test_restart_forgets_everything_and_shows_the_recorded_outputs(visit):
    reader = visit()
    reader.press(0)
    assert "is listening" in reader.ran(0)
    reader.tab.get_by_role("button", name="Restart").click()
    reader.ran(0, "never")
    assert reader.cell(0).locator(".cell-out").inner_text() == ""
    reader.tab.close()


def test_what_cannot_be_loaded_is_said_and_can_be_tried_again(visit):
    reader = visit()
    reader.tab.route("**/engine/redis.wasm", lambda route: route.fulfill(status=404, body=""))
    reader.press(0)
    dock = reader.tab.locator(".run-dock")
    dock.get_by_text("did not load").wait_for()
    assert "404" in dock.inner_text()
    reader.tab.unroute("**/engine/redis.wasm")
    reader.press(0)
    assert "is listening" in reader.ran(0)
    reader.tab.close()


def test_nothing_is_asked_of_another_host(reader):
    entries = "performance.getEntriesByType('resource').map(entry => entry.name)"
    worker = [w.evaluate(entries) for w in reader.tab.workers]
    asked = reader.tab.evaluate(entries) + [url for urls in worker for url in urls]
    assert [url for url in asked if not url.startswith(reader.host.url)] == []
    assert any(url.endswith("redis.wasm") for url in asked)
