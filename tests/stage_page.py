"""The stage in Chromium: a host with the engine and the scripts, and one page with one instrument."""

import gzip
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from lab.stage_module import module, style
from lab.stage_player import Player
from lab.stage_widget import SCRIPTS
from page_host import BUILD, ROOT, Host, hosting
from website import CHROMIUM, Visit

if TYPE_CHECKING:
    from playwright.sync_api import Page  # not needed to leave these tests out

META = '<meta name="rush-engine" content="engine/"><meta name="rush-lua" content="lua/">'
ANSWERED = """([tag, words]) => {
  const said = document.querySelector(tag)?.shadowRoot?.querySelector('[role=status]')?.textContent ?? '';
  return said.length > 0 && new RegExp(words).test(said);
}"""

WIDGET = """<!doctype html><title>Widget</title><div id="out"></div><script type="module">
import stage from './one.mjs';
const heard = [];
const traits = await window.traits();
const model = {
  get: name => traits[name],
  on: (_, call) => heard.push(call),
  send: async message => { const answer = await window.kernel(message); heard.forEach(call => call(answer)); },
};
const out = document.querySelector('#out');
stage.render({ model, el: out });
</script>"""


def html(element: str, script: str, meta: str = META, theme: str = "default") -> str:
    """A page as the site would have it: colours, the element, its module."""
    tokens = (ROOT / "docs/assets/css/tokens.css").read_text()
    return (
        f'<!doctype html><html lang="en" data-md-color-scheme="{theme}"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><title>Stage</title>{meta}'
        f"<style>{tokens} body {{ margin: 16px; background: var(--rush-paper) }}</style></head>"
        f'<body><main><h1>Stage</h1>{element}</main><script type="module" src="/stage/{script}"></script>'
    )


def serve(host: Host) -> None:
    """Put the scripts on the host, under /lua/."""
    for path in (ROOT / "lua").glob("*.lua"):
        host.pages[f"/lua/{path.name}"] = path.read_text()


@contextmanager
def staged() -> Iterator[Host]:
    """A host with the engine and the scripts, for as long as the block lasts.

    A missing engine skips, since `make engine` needs Debian's packages; RUSH_REQUIRE=1 forbids it.
    """
    if not (BUILD / "redis.wasm").exists():
        pytest.skip("the page's Redis is not built: run `make engine` first")
    with hosting() as host:
        serve(host)
        yield host


class Stage:
    """One open stage: what it shows, and what a reader can do."""

    def __init__(self, visit: Visit, tag: str = "rush-stage") -> None:
        self.visit, self.page, self.tag = visit, visit.page, tag

    def wait(self, words: str = ".") -> str:
        """Wait until the spoken line matches the words; return it."""
        self.page.wait_for_function(ANSWERED, arg=[self.tag, words], timeout=60_000)
        return self.text("[role=status]")

    def text(self, selector: str) -> str:
        return self.page.locator(f"{self.tag} {selector}").first.inner_text()

    def hush(self) -> None:
        """Forget what was said, so that wait() hears only what comes next."""
        self.page.evaluate(
            "tag => { document.querySelector(tag).shadowRoot.querySelector('[role=status]').textContent = '' }",
            self.tag,
        )

    def do(self, action: str, words: str = ".") -> str:
        """Press the button of the action and wait for what is then said."""
        self.hush()
        self.page.click(f"{self.tag} [data-act={action}]")
        return self.wait(words)

    def write(self, lua: str) -> None:
        self.page.fill(f"{self.tag} .editor textarea", lua)

    def again(self, words: str = ".") -> str:
        self.hush()
        self.page.click(f"{self.tag} button.again")
        return self.wait(words)

    def let_in(self) -> list[int]:
        """How many of each crowd got in."""
        return self.page.evaluate(
            """() => { const { crowds, pressed } = document.querySelector('rush-stage').instrument;
            return crowds.map((_, k) => pressed.filter(p => p.crowd === k && p.allowed).length) }"""
        )


@contextmanager
def opened(
    browser,
    host: Host,
    day: int,
    *,
    address: str = "",
    inside: str = "recorded",
    meta: str = META,
    **context,
) -> Iterator[Stage]:
    """The day's stage on a page of its own; motion is reduced unless the context says otherwise."""
    assert CHROMIUM
    element = f'<rush-stage day="{day}"><p>{inside}</p></rush-stage>'
    path = f"/day{day}.html"
    host.pages[path] = html(element, "stage.mjs", meta)
    context = {"viewport": {"width": 1280, "height": 900}, "reduced_motion": "reduce"} | context
    with browser.new_context(**context) as room:
        visit = Visit(room.new_page())
        visit.page.goto(f"{host.url}{path}{address}")
        yield Stage(visit)


@contextmanager
def in_notebook(
    browser, server, day: int, words: str = "this server"
) -> Iterator[tuple["Page", Host]]:
    """The day's stage as a notebook's widget in #out, on the kernel's server, which is called `words`."""
    player = Player(lambda **kw: server.client(decode_responses=True, **kw))
    scripts = {name: (ROOT / "lua" / f"{name}.lua").read_text() for name in SCRIPTS[day]}
    traits = {"day": day, "css": style(), "scripts": scripts, "server": words}
    with hosting() as host, browser.new_context(reduced_motion="reduce") as room:
        host.pages |= {"/": WIDGET, "/one.mjs": module()}
        page = room.new_page()
        page.expose_function("traits", lambda: traits)
        page.expose_function("kernel", lambda m: {"id": m["id"], **player.play(m["job"])})
        page.goto(host.url)
        yield page, host


def weight(paths: list[str]) -> int:
    """Bytes, gzipped one by one, of what a page asked this host for."""
    folders = {"/engine/": BUILD, "/stage/": ROOT / "page/stage", "/lua/": ROOT / "lua"}
    total = 0
    for path in set(paths):
        for prefix, folder in folders.items():
            file = folder / re.sub(r"[?#].*", "", path).removeprefix(prefix)
            if path.startswith(prefix) and file.is_file():
                total += len(gzip.compress(file.read_bytes()))
    return total
