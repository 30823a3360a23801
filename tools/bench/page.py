"""How soon the page that runs gives its first answers: a browser of its own, a new one each time.

Needs the site with its engine (`make engine site`), Chromium and Playwright. Each round visits once
cold, with nothing in the browser's cache, and once more warm.
"""

import gzip
import json
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from tools import programs
from tools.served import served

Way = Callable[[object, str], float]  # (a page of Playwright, an address) → seconds

FIRST_ANSWER = """() => new Promise(told => {
  const stage = document.querySelector('rush-stage');
  const asked = performance.now();
  const look = () => stage.instrument?.firstMs ? told(stage.instrument.firstMs - asked) : requestAnimationFrame(look);
  stage.scrollIntoView();
  look();
})"""


def stage_s(page, url: str) -> float:
    """Seconds from the stage's coming into view to Redis's first answer in it."""
    page.goto(url, wait_until="networkidle")
    return page.evaluate(FIRST_ANSWER) / 1000


def cell_s(page, url: str) -> float:
    """Seconds from the press on the first Run button to that cell's end."""
    page.goto(url, wait_until="networkidle")
    button = page.locator(".cell.code .run-go").first
    began = time.perf_counter()
    button.click()
    page.locator(".cell.code[data-run=ran]").first.wait_for(state="attached")
    return time.perf_counter() - began


VISITS = {
    "the stage’s first answer": (stage_s, "notebooks/day02_boundary_burst/", "≤ 0.5 s"),
    "the first Python cell": (cell_s, "notebooks/day01_fixed_window/", ""),
}


def missing(site: Path) -> str | None:
    """What is not here to measure with, in a few words; None when all is."""
    if not (site / "page" / "engine" / "redis.wasm").exists():
        return "the site has no engine: make engine site"
    return None if programs.browser() else "there is no Chromium"


def rounds(browser, way: Way, url: str, count: int) -> dict[str, list[float]]:
    """Seconds of each round, {"cold": with an empty cache, "warm": the visit after it}."""
    seen = {"cold": [], "warm": []}
    for _ in range(count):
        with browser.new_context(viewport={"width": 1440, "height": 900}) as context:
            for times in seen.values():
                page = context.new_page()
                times.append(way(page, url))
                page.close()
    return seen


def weights(engine: Path) -> dict[str, int]:
    """Bytes, gzipped one by one, of what is loaded for each."""
    names = json.loads((engine / "run.json").read_text())["bytes"]
    sizes = {name: len(gzip.compress((engine / name).read_bytes())) for name in names}
    redis = sum(sizes[name] for name in ("redis.mjs", "redis.wasm", "engine.mjs"))
    return {"Redis": redis, "Redis and Python": sum(sizes.values())}


def table(site: Path, count: int) -> list[str]:
    """The table of docs/performance.md, as lines of Markdown."""
    from playwright.sync_api import sync_playwright

    lines = ["| | cold | warm | goal |", "|---|--:|--:|--:|"]
    with served(site) as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=programs.browser(), args=["--no-sandbox", "--disable-gpu"]
        )
        for what, (way, path, goal) in VISITS.items():
            seen = rounds(browser, way, url + path, count).values()
            told = [f"{median(each):.2f} s ({min(each):.2f}–{max(each):.2f})" for each in seen]
            lines.append(f"| {what} | {' | '.join(told)} | {goal} |")
        browser.close()
    sizes = weights(site / "page" / "engine").items()
    loaded = ", ".join(f"{what} {size / 1e6:.1f} MB" for what, size in sizes)
    return [*lines, "", f"What is loaded for them, gzipped: {loaded}."]
