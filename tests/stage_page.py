"""The stage in Chromium: a host with the engine and the scripts, and one page with one instrument."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from page_host import BUILD, ROOT, Host
from website import CHROMIUM, Visit

META = '<meta name="rush-engine" content="engine/"><meta name="rush-lua" content="lua/">'
ANSWERED = """([tag, words]) => {
  const said = document.querySelector(tag)?.shadowRoot?.querySelector('[role=status]')?.textContent ?? '';
  return said.length > 0 && new RegExp(words).test(said);
}"""


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

    def do(self, action: str, words: str = ".") -> str:
        """Press the button of the action and wait for what is then said."""
        self.page.evaluate(
            "tag => { document.querySelector(tag).shadowRoot.querySelector('[role=status]').textContent = '' }",
            self.tag,
        )
        self.page.click(f"{self.tag} [data-act={action}]")
        return self.wait(words)

    def write(self, lua: str) -> None:
        self.page.fill(f"{self.tag} .editor textarea", lua)

    def again(self, words: str = ".") -> str:
        self.page.evaluate(
            "tag => { document.querySelector(tag).shadowRoot.querySelector('[role=status]').textContent = '' }",
            self.tag,
        )
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


def weight(paths: list[str]) -> int:
    """Bytes, gzipped one by one, of what a page asked this host for."""
    import gzip

    folders = {"/engine/": BUILD, "/stage/": ROOT / "page/stage", "/lua/": ROOT / "lua"}
    total = 0
    for path in set(paths):
        for prefix, folder in folders.items():
            file = folder / re.sub(r"[?#].*", "", path).removeprefix(prefix)
            if path.startswith(prefix) and file.is_file():
                total += len(gzip.compress(file.read_bytes()))
    return total
