"""The built site and a browser for the tests: built once, served on loopback, opened in Chromium."""

import atexit
import fcntl
import functools
import gzip
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from tools import programs

ROOT = Path(__file__).resolve().parents[1]
CHROMIUM = programs.browser()
SCREENS = {"desktop": (1440, 900), "phone": (390, 844)}
DEEP = os.environ.get("RUSH_DEEP") == "1"
# Besides home, a page of each layout.
KINDS = ("404", "articles.zh-Hant", "bring-your-own", "cheat-sheet", "notebooks/day02")
READ = ("docs", "lua", "notebooks", "page/runner", "page/stage", "mkdocs.yml")  # by a build


def build(source: Path, out: Path) -> subprocess.CompletedProcess:
    """Build the site of the project in source strictly into out, complete without the engine.

    The instruments and Run buttons have tests of their own (test_stage.py, test_runner.py).
    """
    return subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(out)],
        cwd=source,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1", "RUSH_ENGINE": "0"},
        capture_output=True,
        text=True,
    )


def copy_project(to: Path) -> Path:
    """What a build reads, in a folder of its own that a test may spoil."""
    for name in READ:
        source, target = ROOT / name, to / name
        if source.is_dir():
            shutil.copytree(source, target)
        elif source.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
    return to


class Site:
    """A built site: its folder, its pages, and the address where it is served."""

    def __init__(self, folder: Path, url: str) -> None:
        self.folder, self.url = folder, url

    @property
    def pages(self) -> list[str]:
        """Paths of all pages, as a browser asks for them: "" is the home page."""
        found = sorted(p.relative_to(self.folder).as_posix() for p in self.folder.rglob("*.html"))
        return [page.removesuffix("index.html") for page in found]

    @property
    def opened(self) -> list[str]:
        """The pages that are opened in a browser: all with RUSH_DEEP=1, else one of each kind."""
        return self.pages if DEEP else self.kinds

    def looked_at(self, look: int, looks: int) -> list[str]:
        """What the look-th of some looks at everything opens: an even share of the kinds, or all pages."""
        return self.pages if DEEP else self.kinds[look::looks]

    @property
    def kinds(self) -> list[str]:
        """A page of each layout."""
        return [page for page in self.pages if page.startswith(KINDS) or not page]

    @property
    def lessons(self) -> list[str]:
        """Paths of the pages made from notebooks."""
        return [page for page in self.pages if page.startswith("notebooks/")]

    def html(self, path: str) -> str:
        """The source of a page."""
        file = self.folder / path
        return (file / "index.html" if file.is_dir() else file).read_text(encoding="utf-8")

    def zipped(self, urls: list[str]) -> int:
        """Bytes, gzipped one by one, of the files behind these addresses, the engine left out."""
        names = {u.removeprefix(self.url).split("?")[0].split("#")[0] for u in urls}
        files = {self.folder / name for name in names if not name.startswith("page/engine/")}
        files = {f / "index.html" if f.is_dir() else f for f in files}
        return sum(len(gzip.compress(f.read_bytes())) for f in files if f.is_file())


def built_once(shared: Path) -> Path:
    """The project's own site in shared, built strictly by whoever comes first; the others wait.

    A failed build fails the tests of everybody who asks.
    """
    folder = shared / "site"
    with (shared / "site.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            half = shared / "site.half"
            done = build(ROOT, half)
            assert done.returncode == 0, f"the strict build failed:\n{done.stderr}"
            half.rename(folder)
    return folder


@contextmanager
def chromium() -> Iterator:
    """Debian's Chromium under Playwright; skips with a sentence where there is none.

    One for a whole process: Playwright runs an event loop in its thread, and a second one beside
    it is refused. For the same reason tools/suite.py gives these tests a pass of their own.
    """
    if CHROMIUM is None:
        pytest.skip("no Chromium here: apt-get install chromium")
    yield _running_chromium()


@functools.cache
def _running_chromium():
    from playwright.sync_api import sync_playwright

    playwright = sync_playwright().start()
    atexit.register(playwright.stop)  # ends the browser too
    return playwright.chromium.launch(
        executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
    )


class Visit:
    """One open page and what it did: addresses asked for, complaints of the console."""

    def __init__(self, page) -> None:
        self.page = page
        self.requests: list[str] = []
        self.complaints: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", self._heard)

    def _heard(self, message) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(f"{message.type}: {message.text}")


@contextmanager
def visit(browser, url: str, screen: str = "desktop", **context) -> Iterator[Visit]:
    """Open url on a screen of SCREENS and wait until nothing more is asked for."""
    width, height = SCREENS[screen]
    with browser.new_context(viewport={"width": width, "height": height}, **context) as opened:
        seen = Visit(opened.new_page())
        seen.page.goto(url, wait_until="networkidle")
        yield seen


class Report(NamedTuple):
    """What one page did and showed on one screen."""

    path: str
    screen: str
    requests: list[str]
    complaints: list[str]
    over_px: int  # how much wider than the screen with every fold open
    shifted: float  # layout shift while loading, as browsers score it
    ids: set[str]
    hrefs: list[str]


WATCH_SHIFTS = """
window.shifted = 0;
new PerformanceObserver(list => { for (const e of list.getEntries()) window.shifted += e.value; })
  .observe({type: 'layout-shift', buffered: true});
localStorage.setItem('rush.done', '[0]');
"""
UNFOLD = "document.querySelectorAll('.md-content details').forEach(d => d.open = true)"


def crawl(browser, site: Site) -> list[Report]:
    """The site's pages to be opened, each once on every screen, with a day done already."""
    reports = []
    for screen, (width, height) in SCREENS.items():
        for path in site.opened:
            with browser.new_context(viewport={"width": width, "height": height}) as context:
                seen = Visit(context.new_page())
                page = seen.page
                page.add_init_script(WATCH_SHIFTS)
                page.goto(site.url + path, wait_until="networkidle")
                shifted = page.evaluate("window.shifted")
                page.evaluate(UNFOLD)
                reports.append(
                    Report(
                        path,
                        screen,
                        seen.requests,
                        seen.complaints,
                        page.evaluate("document.documentElement.scrollWidth - innerWidth"),
                        shifted,
                        set(page.evaluate("[...document.querySelectorAll('[id]')].map(e => e.id)")),
                        page.evaluate(
                            "[...document.querySelectorAll('a[href]')].map(a => a.getAttribute('href'))"
                        ),
                    )
                )
    return reports
